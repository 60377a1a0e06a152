// Baseline of batched_matmul.
#include "baseline.cuh"

void launch_batched_matmul(const T *a, const T *b, T *c, int batch, int m, int n, int k) {
  runGemm<false, false>(a, b, nullptr, c, m, n, k, Identity(), 1, 0, batch);
}
