//===- Generate.h - a buffer's content from a seed ------------------------------===//
//
// The distributions that protocol::Generator names. An element depends on seed, stream, its index and (one_hot)
// the last dimension only, through exact arithmetic: every side that makes a buffer makes the same bytes.
//
//   normal      A + B·z, z a sum of four uniforms, scaled to variance 1 (within ±3.47)
//   uniform     [A, B); integers: A to B inclusive
//   constant    A
//   zero        0
//   one_hot     one element 1 in each run of the last dimension, 0 elsewhere
//   extreme     signed zeros, small, large and huge magnitudes that a type of its size can hold
//   denormal    subnormal numbers of the type, both signs
//   nan_inf     normal, with NaN and both infinities here and there
//   inf         normal, with both infinities here and there
//   iota        0, 1, 2, ... (wrapped at 2^20 for 4-byte floats, 2^10 for smaller ones)
//   index       integers in [A, B)
//   permutation each of 0 .. elements-1 once
//
// To add one: a row in the table of Generate.cpp, a line here and in docs/numerics.md.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_OPS_GENERATE_H
#define KCHECK_OPS_GENERATE_H

#include "runner/ops/Element.h"

namespace kcheck::ops {

/// Names of all distributions.
const std::vector<std::string> &distributions();
bool isDistribution(std::string_view Name);

/// The bytes of a buffer. An unknown distribution gives zeros; callers check the name first.
Bytes generate(const protocol::Generator &Gen, DType Type, const std::vector<int64_t> &Shape);

} // namespace kcheck::ops
#endif
