// expect: PASS
// the check of a template became an early return
//--- parent
#include <cuda_runtime.h>

template <typename T>
__global__ void scale(const T *x, T *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = T(2) * x[i];
}

void launch_scale(const float *x, float *y, int n) {
  scale<float><<<(n + 255) / 256, 256>>>(x, y, n);
}

//--- candidate
#include <cuda_runtime.h>

template <typename T>
__global__ void scale(const T *x, T *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  y[i] = T(2) * x[i];
}

void launch_scale(const float *x, float *y, int n) {
  scale<float><<<(n + 255) / 256, 256>>>(x, y, n);
}
