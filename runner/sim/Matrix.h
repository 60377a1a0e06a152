//===- Matrix.h - element types of warp matrix operations ---------------------===//
#ifndef KCHECK_SIM_MATRIX_H
#define KCHECK_SIM_MATRIX_H

#include "runner/sim/Layout.h"

namespace kcheck::sim {
/// Numbers that the translator puts into calls.
enum class MatrixType : unsigned { F16, BF16, TF32, F32, F64, S8, U8, S32 };
} // namespace kcheck::sim

extern "C" void **kcheck_collect(kcheck::sim::ThreadContext *C, void *Data, uint32_t Mask, uint32_t Site);
#endif
