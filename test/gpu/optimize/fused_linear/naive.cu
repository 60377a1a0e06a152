// One output a thread, straight from global memory.
#include <cuda_runtime.h>

__global__ void linear_relu(const float *x, const float *w, const float *bias, float *y, int m, int n, int k) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || col >= n)
    return;
  float sum = bias[col];
  for (int i = 0; i < k; ++i)
    sum += x[(size_t)row * k + i] * w[(size_t)col * k + i];
  y[(size_t)row * n + col] = fmaxf(sum, 0.0f);
}

void launch_linear_relu(const float *x, const float *w, const float *bias, float *y, int m, int n, int k) {
  dim3 block(16, 16);
  dim3 grid((n + 15) / 16, (m + 15) / 16);
  linear_relu<<<grid, block>>>(x, w, bias, y, m, n, k);
}
