// Baseline of linear_relu_kn.
#include "baseline.cuh"

void launch_linear_relu_kn(const T *x, const T *w, const T *bias, T *y, int m, int n, int k) { runGemm<false, false>(x, w, bias, y, m, n, k, Relu()); }
