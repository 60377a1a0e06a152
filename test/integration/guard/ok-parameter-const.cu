// expect: PASS
// const of a parameter itself is the kernel's own affair
//--- parent
#include <cuda_runtime.h>

__global__ void scale(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = 2.0f * x[i];
}

//--- candidate
#include <cuda_runtime.h>

__global__ void scale(const float *__restrict__ x, float *y, const int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = 2.0f * x[i];
}
