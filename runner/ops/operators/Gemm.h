//===- Gemm.h - the blocked fp64 product behind matmul, linear and attention ------===//
#ifndef KCHECK_OPS_OPERATORS_GEMM_H
#define KCHECK_OPS_OPERATORS_GEMM_H

#include <cstdint>
#include <vector>

namespace kcheck::ops {

/// C[m, n] = sum over k of A·B and S[m, n] = sum of |A·B|; A is [m, k] or (TransA) [k, m], B is [k, n] or (TransB) [n, k].
void gemm(const double *A, const double *B, double *C, double *S, int64_t M, int64_t N, int64_t K, bool TransA, bool TransB);

} // namespace kcheck::ops
#endif
