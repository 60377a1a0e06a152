// Baseline of linear_gelu.
#include "baseline.cuh"

void launch_linear_gelu(const T *x, const T *w, const T *bias, T *y, int m, int n, int k) { runGemm<false, true>(x, w, bias, y, m, n, k, Gelu()); }
