// expect: REJECT outside_region
// the markers enclose less
//--- parent
#include <cuda_runtime.h>

__global__ void score(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float v = x[i];
  // kcheck: protect begin
  y[i] = 0.5f * v * (1.0f + tanhf(v));
  // kcheck: protect end
}

//--- candidate
#include <cuda_runtime.h>

__global__ void score(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float v = x[i];
  y[i] = 0.5f * v * (1.0f + v);
  // kcheck: protect begin
  // kcheck: protect end
}
