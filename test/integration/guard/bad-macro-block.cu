// expect: REVIEW launch_changed
// the macro of the block's size changed
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

#define BLOCK 128

__global__ void scale(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = 2.0f * x[i];
}

void launch_scale(const float *x, float *y, int n) {
  scale<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(x, y, n);
}
