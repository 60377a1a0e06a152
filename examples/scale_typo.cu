// verdict: REJECT undeclared_api
// Two slips that models make: the index adds blockDim instead of blockIdx * blockDim, and the intrinsic does not exist.
#include <cuda_runtime.h>

__global__ void scale(const float *x, float *y, float factor, int n) {
  int i = threadIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = __fast_mulf(x[i], factor);
}

void launch_scale(const float *x, float *y, float factor, int n) {
  scale<<<(n + 255) / 256, 256>>>(x, y, factor, n);
}
