// expect: REJECT guard_removed|guard_weakened
// the function that stores checks against something else
//--- parent
#include <cuda_runtime.h>

__global__ void scale(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = 2.0f * x[i];
}

//--- candidate
#include <cuda_runtime.h>

__device__ void put(const float *from, float *to, int at, int count) {
  if (at >= count)
    return;
  to[at] = 2.0f * from[at];
}

__global__ void scale(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  put(x, y, i, n + 4);
}
