// expect: REJECT guard_removed|guard_weakened
// a macro of the bound's name
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
#define n (1 << 30)
  if (i < n)
    y[i] = 2.0f * x[i];
#undef n
}
