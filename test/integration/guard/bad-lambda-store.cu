// expect: REJECT guard_removed|guard_weakened
// a store without the check, in a lambda
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
  auto put = [&](int at, float v) { y[at] = v; };
  if (i < n)
    y[i] = 2.0f * x[i];
  put(i, 1.0f);
}
