// verdict: REVIEW atomic_hot_spot
// Every thread adds its element to one address: right, and as slow as atomics on one word are.
#include <cuda_runtime.h>

__global__ void reduce_sum(const float *x, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(out, x[i]);
}

void launch_reduce_sum(const float *x, float *out, int n) {
  cudaMemset(out, 0, sizeof(float));
  reduce_sum<<<(n + 255) / 256, 256>>>(x, out, n);
}
