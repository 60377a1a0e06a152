// RUN: %kcheck_test --rules=sync %s
#include <cuda_runtime.h>

// Asynchronous copies that nobody waits for; a barrier orders threads only.
#include <cuda_pipeline.h>
__global__ void copiedBad(const float4 *x, float *out, int tiles) {
  __shared__ float4 stage[128];
  float sum = 0.0f;
  for (int t = blockIdx.x; t < tiles; t += gridDim.x) {
    __pipeline_memcpy_async(&stage[threadIdx.x], &x[t * 128 + threadIdx.x], sizeof(float4));
    __pipeline_commit();
    __syncthreads();
    sum += stage[127 - threadIdx.x].x; // expect: reject missing_barrier
    __syncthreads();
  }
  atomicAdd(out, sum);
}
__global__ void copiedOk(const float4 *x, float *out, int tiles) {
  __shared__ float4 stage[128];
  float sum = 0.0f;
  for (int t = blockIdx.x; t < tiles; t += gridDim.x) {
    __pipeline_memcpy_async(&stage[threadIdx.x], &x[t * 128 + threadIdx.x], sizeof(float4));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    sum += stage[127 - threadIdx.x].x;
    __syncthreads();
  }
  atomicAdd(out, sum);
}
void launchCopied(const float4 *x, float *out, int tiles) {
  copiedBad<<<64, 128>>>(x, out, tiles);
  copiedOk<<<64, 128>>>(x, out, tiles);
}

// Threads that leave a loop by what they read, while others wait at its barrier.
__global__ void settleBad(const int *next, int *label, int trips) {
  __shared__ int mine[256];
  int t = threadIdx.x, to = next[blockIdx.x * 256 + t] & 255;
  mine[t] = t;
  __syncthreads();
  for (int k = 0; k < trips; ++k) {
    int want = mine[to];
    if (want >= mine[t])
      break;
    __syncthreads(); // expect: reject barrier_in_divergent_loop
    mine[t] = want;
    __syncthreads(); // expect: reject barrier_in_divergent_loop
  }
  label[blockIdx.x * 256 + t] = mine[t];
}
__global__ void settleOk(const int *next, int *label, int trips) {
  __shared__ int mine[256];
  int t = threadIdx.x, to = next[blockIdx.x * 256 + t] & 255;
  mine[t] = t;
  __syncthreads();
  for (int k = 0; k < trips; ++k) {
    int want = mine[to];
    bool moves = want < mine[t];
    if (!__syncthreads_or(moves))
      break;
    if (moves)
      mine[t] = want;
    __syncthreads();
  }
  label[blockIdx.x * 256 + t] = mine[t];
}
void launchSettle(const int *next, int *label, int blocks, int trips) {
  settleBad<<<blocks, 256>>>(next, label, trips);
  settleOk<<<blocks, 256>>>(next, label, trips);
}

// The block that the index forms of an unlaunched kernel show.
__global__ void tiledBad(const float *a, float *c, int rows, int cols) {
  __shared__ float tile[16][16];
  int r = blockIdx.y * 16 + threadIdx.y, q = blockIdx.x * 16 + threadIdx.x;
  tile[threadIdx.y][threadIdx.x] = r < rows && q < cols ? a[r * cols + q] : 0.0f;
  float sum = 0.0f;
  for (int k = 0; k < 16; ++k)
    sum += tile[k][threadIdx.x]; // expect: review missing_barrier
  if (r < rows && q < cols)
    c[r * cols + q] = sum;
}

// How often the loop runs hangs on data, but is the same for the whole block: who waits inside is known.
__global__ void sumListsBad(const int *list, const int *length, int *sums) {
  __shared__ int part[256];
  int t = threadIdx.x, sum = 0;
  for (int first = 0; first < length[blockIdx.x]; first += 256) {
    part[t] = list[first + t];
    __syncthreads();
    if (t < 128) {
      part[t] += part[t + 128];
      __syncthreads(); // expect: reject barrier_divergence
    }
    sum += part[0];
    __syncthreads();
  }
  if (t == 0)
    sums[blockIdx.x] = sum;
}
__global__ void sumListsOk(const int *list, const int *length, int *sums) {
  __shared__ int part[256];
  int t = threadIdx.x, sum = 0;
  for (int first = 0; first < length[blockIdx.x]; first += 256) {
    part[t] = list[first + t];
    __syncthreads();
    if (t < 128)
      part[t] += part[t + 128];
    __syncthreads();
    sum += part[0];
    __syncthreads();
  }
  if (t == 0)
    sums[blockIdx.x] = sum;
}
void launchSumLists(const int *list, const int *length, int *sums, int lists) {
  sumListsBad<<<lists, 256>>>(list, length, sums);
  sumListsOk<<<lists, 256>>>(list, length, sums);
}

// A list's length that is rounded up to whole blocks: all threads of a block go round alike, whatever the length is.
__global__ void turnRoundedOk(const int *length, float *x) {
  __shared__ float t[128];
  x += size_t(blockIdx.x) * 65536;
  int n = length[blockIdx.x];
  for (int i = threadIdx.x; i < ((n + 127) & ~127); i += 128) {
    t[threadIdx.x] = i < n ? x[i] : 0;
    __syncthreads();
    if (i < n)
      x[i] = t[127 - threadIdx.x];
    __syncthreads();
  }
}
__global__ void turnTilesOk(const int *length, float *x) {
  __shared__ float t[128];
  x += size_t(blockIdx.x) * 65536;
  int n = length[blockIdx.x], whole = (n + 127) / 128 * 128;
  for (int i = threadIdx.x; i <= whole - 1; i = i + blockDim.x) {
    t[threadIdx.x] = i < n ? x[i] : 0;
    __syncthreads();
    if (i < n)
      x[i] = t[127 - threadIdx.x];
    __syncthreads();
  }
}
__global__ void turnWholeTilesOk(const int *length, float *x) {
  __shared__ float t[128];
  x += size_t(blockIdx.x) * 65536;
  int n = length[blockIdx.x];
  for (int i = threadIdx.x; i < n - n % 128; i += 128) {
    t[threadIdx.x] = x[i];
    __syncthreads();
    x[i] = t[127 - threadIdx.x];
    __syncthreads();
  }
}
// To whole warps only, where a block has four of them.
__global__ void turnRoundedBad(const int *length, float *x) {
  __shared__ float t[128];
  x += size_t(blockIdx.x) * 65536;
  int n = length[blockIdx.x];
  for (int i = threadIdx.x; i < ((n + 31) & ~31); i += 128) {
    t[threadIdx.x] = i < n ? x[i] : 0;
    __syncthreads(); // expect: reject barrier_in_divergent_loop
    x[i] = t[threadIdx.x];
  }
}
// The last thread of a block is at the multiple that the others are below.
__global__ void turnShiftedBad(const int *length, float *x) {
  __shared__ float t[128];
  x += size_t(blockIdx.x) * 65536;
  int n = length[blockIdx.x];
  for (int i = threadIdx.x + 1; i < ((n + 127) & ~127); i += 128) {
    t[threadIdx.x] = i < n ? x[i] : 0;
    __syncthreads(); // expect: reject barrier_in_divergent_loop
    x[i] = t[threadIdx.x];
  }
}
// A step that is no part of what the length is rounded to.
__global__ void turnUnevenBad(const int *length, float *x) {
  __shared__ float t[128];
  x += size_t(blockIdx.x) * 65536;
  int n = length[blockIdx.x];
  for (int i = threadIdx.x; i < ((n + 127) & ~127); i += 96) {
    t[threadIdx.x] = i < n ? x[i] : 0;
    __syncthreads(); // expect: reject barrier_in_divergent_loop
    x[i] = t[threadIdx.x];
  }
}
// Whole warps are what a shuffle wants.
__global__ void pairsOfListsOk(const int *start, const float *x, float *y) {
  int row = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32, n = start[row + 1] - start[row];
  float sum = 0;
  for (int i = lane; i < (n + 31 & ~31); i += 32)
    sum += __shfl_xor_sync(0xffffffff, i < n ? x[start[row] + i] : 0, 1);
  y[row * 32 + lane] = sum;
}
void launchTurns(const int *length, float *x, float *y, int lists) {
  turnRoundedOk<<<lists, 128>>>(length, x);
  turnTilesOk<<<lists, 128>>>(length, x);
  turnWholeTilesOk<<<lists, 128>>>(length, x);
  turnRoundedBad<<<lists, 128>>>(length, x);
  turnShiftedBad<<<lists, 128>>>(length, x);
  turnUnevenBad<<<lists, 128>>>(length, x);
  pairsOfListsOk<<<lists, 128>>>(length, x, y);
}

// A list whose counter is read and counted on in two steps, and in one.
__global__ void keepBad(const float *x, float *list, int *count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] > 0) {
    list[*count] = x[i]; // expect: review cross_block_dependency
    atomicAdd(count, 1);
  }
}
__global__ void keepOk(const float *x, float *list, int *count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] > 0)
    list[atomicAdd(count, 1)] = x[i];
}
// One thread of the grid.
__global__ void headerOk(const float *x, float *list, int *count) {
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    list[*count] = x[0];
    atomicAdd(count, 1);
  }
}
void launchLists(const float *x, float *list, int *count, int n) {
  keepBad<<<(n + 255) / 256, 256>>>(x, list, count, n);
  keepOk<<<(n + 255) / 256, 256>>>(x, list, count, n);
  headerOk<<<1, 32>>>(x, list, count);
}
