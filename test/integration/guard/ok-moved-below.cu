// expect: PASS
// the kernel stands behind its launcher, declared in front of it
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

__global__ void scale(const float *x, float *y, int n);

void launch_scale(const float *x, float *y, int n) {
  scale<<<(n + 255) / 256, 256>>>(x, y, n);
}

__global__ void scale(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = 2.0f * x[i];
}
