// Baseline of scatter_add: atomics; the order of the sums is not fixed.
#include "baseline.cuh"

__global__ void scatterAdd(const T *__restrict__ src, const int *__restrict__ idx, T *out, int m) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < m; i += gridDim.x * blockDim.x)
    atomicAdd(&out[idx[i]], src[i]);
}

void launch_scatter_add(const T *src, const int *idx, T *out, int n, int m) {
  if (m > 0)
    scatterAdd<<<blocksFor(m, 256), 256>>>(src, idx, out, m);
}
