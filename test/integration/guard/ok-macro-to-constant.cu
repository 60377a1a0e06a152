// expect: PASS
// a macro became a constant
//--- parent
#include <cuda_runtime.h>

#define BLOCK 256

__global__ void scale(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = 2.0f * x[i];
}

void launch_scale(const float *x, float *y, int n) {
  scale<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(x, y, n);
}

//--- candidate
#include <cuda_runtime.h>

constexpr int BLOCK = 256;

__global__ void scale(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = 2.0f * x[i];
}

void launch_scale(const float *x, float *y, int n) {
  scale<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(x, y, n);
}
