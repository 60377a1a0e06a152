// expect: REJECT guard_removed
// the bound is copied and raised
//--- parent
#include <cuda_runtime.h>

__global__ void scale(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = 2.0f * x[i];
}

//--- candidate
#include <cuda_runtime.h>

__global__ void scale(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int m = n;
  m += 32;
  if (i < m)
    y[i] = 2.0f * x[i];
}
