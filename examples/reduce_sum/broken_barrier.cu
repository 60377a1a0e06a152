// verdict: REJECT missing_barrier
// No barrier between the warps' partial sums and the warp that adds them.
#include <cuda_runtime.h>

constexpr int Threads = 256, MostBlocks = 256;

__device__ float warpSum(float v) {
  for (int d = 16; d > 0; d /= 2)
    v += __shfl_down_sync(0xffffffffu, v, d);
  return v;
}

__device__ float blockSum(float v) {
  __shared__ float part[Threads / 32];
  v = warpSum(v);
  if (threadIdx.x % 32 == 0)
    part[threadIdx.x / 32] = v;
  if (threadIdx.x < 32)
    v = warpSum(threadIdx.x < Threads / 32 ? part[threadIdx.x] : 0.0f);
  return v;
}

__global__ void reduce_sum(const float *__restrict__ x, float *out, int n) {
  float sum = 0.0f;
  for (int i = blockIdx.x * Threads + threadIdx.x; i < n; i += gridDim.x * Threads)
    sum += x[i];
  sum = blockSum(sum);
  if (threadIdx.x == 0)
    atomicAdd(out, sum);
}

void launch_reduce_sum(const float *x, float *out, int n) {
  int blocks = (n + Threads - 1) / Threads;
  if (blocks > MostBlocks)
    blocks = MostBlocks;
  cudaMemset(out, 0, sizeof(float));
  reduce_sum<<<blocks, Threads>>>(x, out, n);
}
