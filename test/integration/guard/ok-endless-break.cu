// expect: PASS
// a loop that is left where nothing is
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
  while (true) {
    if (i >= n)
      break;
    y[i] = 2.0f * x[i];
    i += gridDim.x * blockDim.x;
  }
}
