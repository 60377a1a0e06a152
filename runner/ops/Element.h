//===- Element.h - elements of any type as fp64 --------------------------------===//
//
// References and comparison work in fp64: an element is widened on the way in and rounded once, to
// nearest even, on the way out. Integers are exact up to 2^53, which generated data never passes.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_OPS_ELEMENT_H
#define KCHECK_OPS_ELEMENT_H

#include "runner/protocol/Types.h"

namespace kcheck::ops {

using protocol::Bytes;
using protocol::DType;

double loadElement(DType Type, const uint8_t *At);
void storeElement(DType Type, double Value, uint8_t *At);
void storeElements(DType Type, const double *Values, size_t Count, uint8_t *To);

/// Count elements of Type at Data.
std::vector<double> toDoubles(DType Type, const uint8_t *Data, size_t Count);
std::vector<double> toDoubles(DType Type, const Bytes &Data);
Bytes fromDoubles(DType Type, const std::vector<double> &Values);

/// Value as an element of Type holds it: rounded, overflowed to infinity, or wrapped to the integer range.
double roundTo(DType Type, double Value);

/// Half of the distance from 1 to the next larger number; 0 for integers.
double unitRoundoff(DType Type);

} // namespace kcheck::ops
#endif
