// RUN: %kcheck_test --rules macro %s
// A body that changes between a kernel and its launch.
#include <cuda_runtime.h>

#define LANES 256
__global__ void sumOfRow(const float *x, float *y, int n) {
  __shared__ float part[LANES];
  float s = 0;
  for (int i = threadIdx.x; i < n; i += LANES)
    s += x[(size_t)blockIdx.x * n + i];
  part[threadIdx.x] = s;
  __syncthreads();
  for (int h = LANES / 2; h > 0; h /= 2) {
    if (threadIdx.x < h)
      part[threadIdx.x] += part[threadIdx.x + h];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    y[blockIdx.x] = part[0];
}
#define LANES 128 // expect: reject macro_redefined
void launchSum(const float *x, float *y, int rows, int n) { sumOfRow<<<rows, LANES>>>(x, y, n); }
