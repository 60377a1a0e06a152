// Baseline of matmul_tn.
#include "baseline.cuh"

void launch_matmul_tn(const T *a, const T *b, T *c, int m, int n, int k) { runGemm<true, false>(a, b, nullptr, c, m, n, k, Identity()); }
