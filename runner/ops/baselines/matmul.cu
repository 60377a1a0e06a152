// Baseline of matmul.
#include "baseline.cuh"

void launch_matmul(const T *a, const T *b, T *c, int m, int n, int k) { runGemm<false, false>(a, b, nullptr, c, m, n, k, Identity()); }
