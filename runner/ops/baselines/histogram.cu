// Baseline of histogram: counts of a block in shared memory, added to the result at its end. More bins than fit: straight atomics.
#include "baseline.cuh"

constexpr int MostShared = 8192;

__global__ void histogram(const int *__restrict__ x, int *counts, int n, int bins) {
  extern __shared__ int local[];
  for (int b = threadIdx.x; b < bins; b += blockDim.x)
    local[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&local[x[i]], 1);
  __syncthreads();
  for (int b = threadIdx.x; b < bins; b += blockDim.x)
    if (local[b])
      atomicAdd(&counts[b], local[b]);
}

__global__ void histogramGlobal(const int *__restrict__ x, int *counts, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&counts[x[i]], 1);
}

void launch_histogram(const int *x, int *counts, int n, int bins) {
  if (n <= 0)
    return;
  unsigned blocks = blocksFor(n, 256 * 16);
  if (bins <= MostShared)
    histogram<<<blocks, 256, bins * sizeof(int)>>>(x, counts, n, bins);
  else
    histogramGlobal<<<blocks, 256>>>(x, counts, n);
}
