// Baseline of linear_gelu_kn.
#include "baseline.cuh"

void launch_linear_gelu_kn(const T *x, const T *w, const T *bias, T *y, int m, int n, int k) { runGemm<false, false>(x, w, bias, y, m, n, k, Gelu()); }
