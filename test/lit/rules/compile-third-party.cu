// RUN: %kcheck_test --rules compile --hosts kcheck %s
// REQUIRES: cuda
#include <cuda_runtime.h>
#include <some_vendor/numeric.h> // expect: review missing_header

using Pack = some_vendor::Array<float, 8>;

__global__ void packsOk(const Pack *x, Pack *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = some_vendor::twice(x[i]);
}

__global__ void stillSeenBad(float *x) {
  __shared float s[32]; // expect: review misspelt_attribute
  s[threadIdx.x] = x[threadIdx.x];
  x[threadIdx.x] = s[threadIdx.x];
}

// The absent header may bring in what it needs itself.
__global__ void halvesOk(const half *x, float *y) { y[threadIdx.x] = __half2float(x[threadIdx.x]); }
