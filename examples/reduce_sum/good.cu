// verdict: PASS
// Four loads in flight a thread; sums a warp by shuffles, a block through shared memory, one atomic a block.
#include <cuda_runtime.h>

constexpr int Threads = 256, MostBlocks = 1056;

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
  __syncthreads();
  if (threadIdx.x < 32)
    v = warpSum(threadIdx.x < Threads / 32 ? part[threadIdx.x] : 0.0f);
  return v;
}

__global__ void reduce_sum(const float *__restrict__ x, float *out, int n) {
  const size_t stride = (size_t)gridDim.x * Threads;
  size_t i = (size_t)blockIdx.x * Threads + threadIdx.x;
  float sum = 0.0f;
  for (; i + 3 * stride < n; i += 4 * stride)
    sum += (x[i] + x[i + stride]) + (x[i + 2 * stride] + x[i + 3 * stride]);
  for (; i < n; i += stride)
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
