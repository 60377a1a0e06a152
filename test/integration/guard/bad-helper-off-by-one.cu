// expect: REJECT guard_weakened
// a helper that lets one more through
//--- parent
#include <cuda_runtime.h>

__global__ void scale(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = 2.0f * x[i];
}

//--- candidate
#include <cuda_runtime.h>

__device__ inline bool inside(int i, int n) { return i <= n; }

__global__ void scale(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (inside(i, n))
    y[i] = 2.0f * x[i];
}
