// expect: PASS
// load and store in a function that is called under the check
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

__device__ void put(float *y, int i, float v) { y[i] = v; }

__global__ void scale(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    put(y, i, 2.0f * x[i]);
}

void launch_scale(const float *x, float *y, int n) {
  scale<<<(n + 255) / 256, 256>>>(x, y, n);
}
