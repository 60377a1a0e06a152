// Baseline of matmul_nt.
#include "baseline.cuh"

void launch_matmul_nt(const T *a, const T *b, T *c, int m, int n, int k) { runGemm<false, true>(a, b, nullptr, c, m, n, k, Identity()); }
