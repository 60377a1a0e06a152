// RUN: %kcheck_test --hosts kcheck %s
// REQUIRES: cuda
#include <cuda_runtime.h>

__global__ void braceBad(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < n; ++k) {
    if (i < n) {
      x[i] += 1.0f;
  } // expect: syntax_error
}

// The definitions below are noise to the parser, and no findings.
__global__ void afterOk(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] = 0.0f;
}

void launchOk(float *x, int n) { afterOk<<<(n + 255) / 256, 256>>>(x, n); }
