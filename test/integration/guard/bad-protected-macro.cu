// expect: REJECT outside_region
// a macro gives the protected words another meaning
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

#define tanhf(v) (v)

__global__ void score(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float v = x[i];
  // kcheck: protect begin
  y[i] = 0.5f * v * (1.0f + tanhf(v));
  // kcheck: protect end
}
