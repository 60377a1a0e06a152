// expect: REJECT outside_region
// a protected region of the host
//--- parent
#include <cuda_runtime.h>

__global__ void scale(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = 2.0f * x[i];
}

void launch_scale(const float *x, float *y, int n) {
  // kcheck: protect begin
  scale<<<(n + 255) / 256, 256>>>(x, y, n);
  // kcheck: protect end
}

//--- candidate
#include <cuda_runtime.h>

__global__ void scale(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = 2.0f * x[i];
}

void launch_scale(const float *x, float *y, int n) {
  // kcheck: protect begin
  scale<<<(n + 127) / 128, 128>>>(x, y, n);
  // kcheck: protect end
}
