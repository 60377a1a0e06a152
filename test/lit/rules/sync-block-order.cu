// RUN: %kcheck_test --rules sync %s
// Values to which all blocks add, read within the same launch.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

__device__ float blockSum(float v, float *part) {
  part[threadIdx.x] = v;
  __syncthreads();
  for (int s = 128; s > 0; s >>= 1) {
    if (threadIdx.x < s)
      part[threadIdx.x] += part[threadIdx.x + s];
    __syncthreads();
  }
  return part[0];
}

__global__ void totalBad(const float *x, float *y, float *total, int n) {
  __shared__ float part[256];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float v = i < n ? x[i] : 0.f;
  const float sum = blockSum(v * v, part);
  if (threadIdx.x == 0)
    atomicAdd(total, sum);
  __threadfence();
  __syncthreads();
  if (i < n)
    y[i] = v * rsqrtf(*total); // expect: reject cross_block_dependency
}
__global__ void totalStraightBad(const float *x, float *share, float *total, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  atomicAdd(total, x[i]);
  share[i] = x[i] / total[0]; // expect: reject cross_block_dependency
}
__global__ void equaliseBad(const unsigned char *x, unsigned char *y, unsigned *bins, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(&bins[x[i]], 1u);
  __syncthreads();
  if (i < n) {
    unsigned below = 0;
    for (int k = 0; k <= x[i]; ++k)
      below += bins[k]; // expect: reject cross_block_dependency
    y[i] = (unsigned char)(255.f * below / n);
  }
}
// The sum of the block's own segment: nobody else adds to it.
__global__ void ownTotalOk(const float *x, float *y, float *totals, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(&totals[blockIdx.x], x[i]);
  __syncthreads();
  if (i < n)
    y[i] = x[i] / totals[blockIdx.x];
}
__global__ void ownBinsOk(const unsigned char *x, unsigned char *y, unsigned *bins, int n) {
  unsigned *mine = bins + blockIdx.x * 256;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(&mine[x[i]], 1u);
  __syncthreads();
  if (i < n)
    y[i] = (unsigned char)(mine[x[i]] & 255u);
}
// A table gives each block a part of its own.
__global__ void ownPartOk(const int *first, const int *key, const int *value, int *sum, int *out) {
  const int begin = first[blockIdx.x], end = first[blockIdx.x + 1];
  for (int i = begin + threadIdx.x; i < end; i += blockDim.x)
    atomicAdd(&sum[begin + key[i]], value[i]);
  __syncthreads();
  for (int i = begin + threadIdx.x; i < end; i += blockDim.x)
    out[i] = sum[begin + key[i]];
}
// Only the block that comes last reads.
__global__ void lastBlockOk(const float *x, float *mean, float *total, unsigned *ticket, int n) {
  __shared__ bool last;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(total, x[i]);
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0)
    last = atomicAdd(ticket, 1u) == gridDim.x - 1;
  __syncthreads();
  if (last && threadIdx.x == 0)
    *mean = *total / n;
}
// An old maximum only costs an atomic more.
__global__ void highestOk(const int *x, int *most, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    if (x[i] > *most)
      atomicMax(most, x[i]);
  }
}
// A value of its own from the counter, and the total in the next kernel.
__global__ void slotsOk(const int *key, int *count, int *slot, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    slot[i] = atomicAdd(&count[key[i]], 1);
}
__global__ void sharesOk(const int *key, const int *count, float *share, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    share[i] = 1.f / count[key[i]];
}
__global__ void gridWideOk(const float *x, float *y, float *total, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(total, x[i]);
  cooperative_groups::this_grid().sync();
  if (i < n)
    y[i] = x[i] / *total;
}
__global__ void oneBlockOk(const float *x, float *y, float *total, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    atomicAdd(total, x[i]);
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    y[i] = x[i] / *total;
}

void launch(const float *x, float *y, float *total, const unsigned char *u, unsigned char *v, unsigned *bins, const int *key, int *count, int *slot, unsigned *ticket, int n) {
  const int blocks = (n + 255) / 256;
  totalBad<<<blocks, 256>>>(x, y, total, n);
  totalStraightBad<<<blocks, 256>>>(x, y, total, n);
  equaliseBad<<<blocks, 256>>>(u, v, bins, n);
  ownTotalOk<<<blocks, 256>>>(x, y, total, n);
  ownBinsOk<<<blocks, 256>>>(u, v, bins, n);
  lastBlockOk<<<blocks, 256>>>(x, y, total, ticket, n);
  highestOk<<<blocks, 256>>>(key, slot, n);
  ownPartOk<<<blocks, 256>>>(key, key, key, count, slot);
  slotsOk<<<blocks, 256>>>(key, count, slot, n);
  sharesOk<<<blocks, 256>>>(key, count, y, n);
  void *args[] = {&x, &y, &total, &n};
  cudaLaunchCooperativeKernel((const void *)gridWideOk, dim3(blocks), dim3(256), args, 0, 0);
  oneBlockOk<<<1, 256>>>(x, y, total, n);
}
