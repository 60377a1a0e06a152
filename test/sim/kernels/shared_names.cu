// Arrays of one name in different kernels are counted once each, not for every kernel: neither launch is over the limit of 48 KiB.
#include <cuda_runtime.h>

// SIM: first grid=1 block=32 args=o:f32[32]:out
__global__ void first(float *o) {
  __shared__ float s[7000];
  s[threadIdx.x] = 1;
  __syncthreads();
  o[threadIdx.x] = s[31 - threadIdx.x];
}
// SIM: second grid=1 block=32 args=p:f32[32]:out
__global__ void second(float *p) {
  __shared__ float s[7001];
  s[threadIdx.x] = 2;
  __syncthreads();
  p[threadIdx.x] = s[31 - threadIdx.x];
}
