// RUN: %kcheck_test --rules index-space --hosts kcheck %s
// REQUIRES: cuda
// Tensors that the launcher makes with another length than the kernel takes.
#include <torch/extension.h>

// Made with another product of the sizes than the kernel writes.
__global__ void productOf(const float *a, const float *b, float *c, int m, int n, int k) {
  int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  if (row >= m || column >= n)
    return;
  float s = 0;
  for (int i = 0; i < k; ++i)
    s += a[row * k + i] * b[i * n + column];
  c[row * n + column] = s; // expect: review missing_bounds_guard
}
torch::Tensor productOfSizes(torch::Tensor a, torch::Tensor b) {
  int m = a.size(0), k = a.size(1), n = b.size(1);
  auto c = torch::empty({m, k}, a.options());
  productOf<<<dim3((n + 15) / 16, (m + 15) / 16), dim3(16, 16)>>>(a.data_ptr<float>(), b.data_ptr<float>(), c.data_ptr<float>(), m, n, k);
  return c;
}
