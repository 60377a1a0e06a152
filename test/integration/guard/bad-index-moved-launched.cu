// expect: REJECT guard_removed|guard_weakened
// the same with a launch
//--- parent
#include <cuda_runtime.h>

__global__ void scale(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = 2.0f * x[i];
}

void launch_scale(const float *x, float *y, int n) {
  scale<<<(n + 255) / 256, 256>>>(x, y, n);
}

//--- candidate
#include <cuda_runtime.h>

__global__ void scale(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    i += 8;
    y[i] = 2.0f * x[i];
  }
}

void launch_scale(const float *x, float *y, int n) {
  scale<<<(n + 255) / 256, 256>>>(x, y, n);
}
