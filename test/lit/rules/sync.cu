// RUN: %kcheck_test --rules=sync %s
#include <cuda_runtime.h>

constexpr int kBlock = 256;

__global__ void sumTailBad(const float *x, float *out, int n) {
  __shared__ float part[kBlock];
  int t = threadIdx.x;
  part[t] = 0.0f;
  for (int i = t; i < n; i += kBlock)
    part[t] += x[i];
  __syncthreads();
  for (int h = kBlock / 2; h > 0; h >>= 1)
    if (t < h) {
      part[t] += part[t + h];
      __syncthreads(); // expect: reject barrier_divergence
    }
  if (t == 0)
    out[0] = part[0];
}
void launchSumTail(const float *x, float *out, int n) { sumTailBad<<<1, kBlock>>>(x, out, n); }

// The condition is the same for the whole block, also through a variable and a call.
__device__ bool wanted(int mode) { return mode > 1; }
__global__ void uniformBranchOk(const float *x, float *out, int mode) {
  __shared__ float s[kBlock];
  s[threadIdx.x] = x[blockIdx.x * kBlock + threadIdx.x];
  bool swap = wanted(mode);
  if (swap) {
    __syncthreads();
    out[blockIdx.x * kBlock + threadIdx.x] = s[kBlock - 1 - threadIdx.x];
  } else {
    out[blockIdx.x * kBlock + threadIdx.x] = s[threadIdx.x];
  }
}
void launchUniformBranch(const float *x, float *out, int blocks, int mode) { uniformBranchOk<<<blocks, kBlock>>>(x, out, mode); }

__global__ void returnFirstBad(const float *x, float *y, int n) {
  __shared__ float s[kBlock];
  int i = blockIdx.x * kBlock + threadIdx.x;
  if (i >= n)
    return;
  s[threadIdx.x] = x[i];
  __syncthreads(); // expect: reject barrier_after_return
  y[i] = s[threadIdx.x] + s[0];
}
void launchReturnFirst(const float *x, float *y, int n) { returnFirstBad<<<(n + kBlock - 1) / kBlock, kBlock>>>(x, y, n); }

// A whole block returns.
__global__ void returnRowOk(const float *x, float *y, int rows) {
  __shared__ float s[kBlock];
  if (blockIdx.x >= rows)
    return;
  s[threadIdx.x] = x[blockIdx.x * kBlock + threadIdx.x];
  __syncthreads();
  y[blockIdx.x * kBlock + threadIdx.x] = s[kBlock - 1 - threadIdx.x];
}
void launchReturnRow(const float *x, float *y, int rows) { returnRowOk<<<rows, kBlock>>>(x, y, rows); }

__global__ void stepsBad(const float *x, float *y, int n) {
  __shared__ float s[kBlock];
  for (int i = threadIdx.x; i < n; i += kBlock) {
    s[threadIdx.x] = x[i];
    __syncthreads(); // expect: reject barrier_in_divergent_loop
    y[i] = s[threadIdx.x ^ 1];
    __syncthreads(); // expect: reject barrier_in_divergent_loop
  }
}
void launchSteps(const float *x, float *y, int n) { stepsBad<<<1, kBlock>>>(x, y, n); }

// The loop's bounds are rounded up: every thread takes every step.
__global__ void stepsOk(const float *x, float *y, int n) {
  __shared__ float s[kBlock];
  for (int base = 0; base < n; base += kBlock) {
    int i = base + threadIdx.x;
    s[threadIdx.x] = i < n ? x[i] : 0.0f;
    __syncthreads();
    if (i < n)
      y[i] = s[threadIdx.x ^ 1];
    __syncthreads();
  }
}
void launchEvenSteps(const float *x, float *y, int n) { stepsOk<<<1, kBlock>>>(x, y, n); }

__global__ void reverseBad(const float *x, float *y) {
  __shared__ float s[kBlock];
  s[threadIdx.x] = x[blockIdx.x * kBlock + threadIdx.x];
  y[blockIdx.x * kBlock + threadIdx.x] = s[kBlock - 1 - threadIdx.x]; // expect: reject missing_barrier
}
void launchReverse(const float *x, float *y, int blocks) { reverseBad<<<blocks, kBlock>>>(x, y); }

__global__ void ownSlotOk(const float *x, float *y) {
  __shared__ float s[kBlock];
  s[threadIdx.x] = x[blockIdx.x * kBlock + threadIdx.x];
  y[blockIdx.x * kBlock + threadIdx.x] = 2.0f * s[threadIdx.x];
}
void launchOwnSlot(const float *x, float *y, int blocks) { ownSlotOk<<<blocks, kBlock>>>(x, y); }

__global__ void tilesBad(const float *x, float *y, int tiles) {
  __shared__ float s[kBlock];
  float sum = 0.0f;
  for (int k = 0; k < tiles; ++k) {
    s[threadIdx.x] = x[k * kBlock + threadIdx.x];
    __syncthreads();
    sum += s[kBlock - 1 - threadIdx.x]; // expect: reject missing_barrier_war
  }
  y[threadIdx.x] = sum;
}
void launchTiles(const float *x, float *y, int tiles) { tilesBad<<<1, kBlock>>>(x, y, tiles); }

// Two buffers in turn: one barrier a round is enough.
__global__ void twoBuffersOk(const float *x, float *y, int tiles) {
  __shared__ float s[2][kBlock];
  float sum = 0.0f;
  for (int k = 0; k < tiles; ++k) {
    s[k & 1][threadIdx.x] = x[k * kBlock + threadIdx.x];
    __syncthreads();
    sum += s[k & 1][kBlock - 1 - threadIdx.x];
  }
  y[threadIdx.x] = sum;
}
void launchTwoBuffers(const float *x, float *y, int tiles) { twoBuffersOk<<<1, kBlock>>>(x, y, tiles); }

__global__ void warpReverseBad(const float *x, float *y) {
  __shared__ float s[8][32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  s[warp][lane] = x[threadIdx.x];
  y[threadIdx.x] = s[warp][31 - lane]; // expect: warp_sync_missing
}
void launchWarpReverse(const float *x, float *y) { warpReverseBad<<<1, kBlock>>>(x, y); }
__global__ void warpReverseOk(const float *x, float *y) {
  __shared__ float s[8][32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  s[warp][lane] = x[threadIdx.x];
  __syncwarp();
  y[threadIdx.x] = s[warp][31 - lane];
}
void launchSyncedReverse(const float *x, float *y) { warpReverseOk<<<1, kBlock>>>(x, y); }

// What data chooses within a warp's own row: some lane reads another's slot.
__global__ void warpPermuteBad(const float *x, const int *from, float *y) {
  __shared__ float s[8][32];
  s[threadIdx.y][threadIdx.x] = x[threadIdx.y * 32 + threadIdx.x];
  y[threadIdx.y * 32 + threadIdx.x] = s[threadIdx.y][from[threadIdx.x]]; // expect: review warp_sync_missing
}
void launchWarpPermute(const float *x, const int *from, float *y) { warpPermuteBad<<<1, dim3(32, 8)>>>(x, from, y); }
__global__ void warpPermuteOk(const float *x, const int *from, float *y) {
  __shared__ float s[8][32];
  s[threadIdx.y][threadIdx.x] = x[threadIdx.y * 32 + threadIdx.x];
  __syncwarp();
  y[threadIdx.y * 32 + threadIdx.x] = s[threadIdx.y][from[threadIdx.x]];
}
void launchSyncedPermute(const float *x, const int *from, float *y) { warpPermuteOk<<<1, dim3(32, 8)>>>(x, from, y); }

// Counters that are not yet cleared when another warp counts.
__global__ void histogramBad(const int *x, int *counts, int n) {
  __shared__ int bins[128];
  for (int b = threadIdx.x; b < 128; b += blockDim.x)
    bins[b] = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    atomicAdd(&bins[x[i] & 127], 1); // expect: reject missing_barrier
  __syncthreads();
  for (int b = threadIdx.x; b < 128; b += blockDim.x)
    counts[b] = bins[b];
}
void launchHistogram(const int *x, int *counts, int n) { histogramBad<<<1, kBlock>>>(x, counts, n); }
__global__ void histogramOk(const int *x, int *counts, int n) {
  __shared__ int bins[128];
  for (int b = threadIdx.x; b < 128; b += blockDim.x)
    bins[b] = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    atomicAdd(&bins[x[i] & 127], 1);
  __syncthreads();
  for (int b = threadIdx.x; b < 128; b += blockDim.x)
    counts[b] = bins[b];
}
void launchCleared(const int *x, int *counts, int n) { histogramOk<<<1, kBlock>>>(x, counts, n); }
// A thread's own columns of counters: nobody else's.
__global__ void ownCountersOk(const int *x, int *counts, int n) {
  __shared__ int bins[4][kBlock];
  for (int b = 0; b < 4; ++b)
    bins[b][threadIdx.x] = 0;
  for (int i = threadIdx.x; i < n; i += kBlock)
    bins[x[i] & 3][threadIdx.x] += 1;
  for (int b = 0; b < 4; ++b)
    atomicAdd(&counts[b], bins[b][threadIdx.x]);
}
void launchOwnCounters(const int *x, int *counts, int n) { ownCountersOk<<<1, kBlock>>>(x, counts, n); }

__global__ void shuffleHalfBad(const float *x, float *y) {
  float v = x[threadIdx.x];
  if (threadIdx.x % 32 < 16)
    v += __shfl_down_sync(0xffffffffu, v, 8); // expect: reject shuffle_mask
  y[threadIdx.x] = v;
}
void launchShuffleHalf(const float *x, float *y) { shuffleHalfBad<<<1, 64>>>(x, y); }
__global__ void shuffleHalfOk(const float *x, float *y) {
  float v = x[threadIdx.x];
  if (threadIdx.x % 32 < 16)
    v += __shfl_down_sync(0x0000ffffu, v, 8);
  y[threadIdx.x] = v;
}
void launchShuffleMasked(const float *x, float *y) { shuffleHalfOk<<<1, 64>>>(x, y); }

__global__ void neighbourBad(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n)
    x[i] += x[i - 1]; // expect: reject cross_block_dependency, review warp_sync_missing, review missing_barrier_war
}
void launchNeighbour(float *x, int n) { neighbourBad<<<(n + 255) / 256, 256>>>(x, n); }

// The last block to arrive adds up what the others have written and fenced.
__device__ unsigned int arrived;
__global__ void lastBlockOk(const float *x, float *part, float *out, int n) {
  __shared__ float s[kBlock];
  __shared__ bool last;
  float sum = 0.0f;
  for (int i = blockIdx.x * kBlock + threadIdx.x; i < n; i += gridDim.x * kBlock)
    sum += x[i];
  s[threadIdx.x] = sum;
  __syncthreads();
  for (int h = kBlock / 2; h > 0; h >>= 1) {
    if (threadIdx.x < h)
      s[threadIdx.x] += s[threadIdx.x + h];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    part[blockIdx.x] = s[0];
    __threadfence();
    last = atomicAdd(&arrived, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    float total = 0.0f;
    for (unsigned b = 0; b < gridDim.x; ++b)
      total += part[b];
    *out = total;
    arrived = 0;
  }
}
void launchLastBlock(const float *x, float *part, float *out, int n) { lastBlockOk<<<32, kBlock>>>(x, part, out, n); }

// A block's part of the result and its ticket, without a fence between them.
__device__ unsigned int tickets;
__global__ void unfencedBad(const float *x, float *part, float *out, int n) {
  __shared__ bool last;
  float sum = 0.0f;
  for (int i = blockIdx.x * kBlock + threadIdx.x; i < n; i += gridDim.x * kBlock)
    sum += x[i];
  for (int o = 16; o > 0; o >>= 1)
    sum += __shfl_xor_sync(0xffffffffu, sum, o);
  if (threadIdx.x == 0) {
    part[blockIdx.x] = sum;
    last = atomicAdd(&tickets, 1u) == gridDim.x - 1; // expect: reject cross_block_dependency
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    float total = 0.0f;
    for (unsigned b = 0; b < gridDim.x; ++b)
      total += part[b];
    *out = total;
  }
}
void launchUnfenced(const float *x, float *part, float *out, int n) { unfencedBad<<<32, 32>>>(x, part, out, n); }

// Compare and exchange: only the data decides whether the write happens.
__global__ void exchangeBad(unsigned *keys) {
  __shared__ unsigned s[512];
  const unsigned t = threadIdx.x;
  s[t] = keys[t];
  __syncthreads();
  for (unsigned j = 256; j > 0; j >>= 1) {
    const unsigned p = t ^ j;
    if (p > t) {
      const unsigned a = s[t], b = s[p]; // expect: review missing_barrier
      if (a > b) {
        s[t] = b;
        s[p] = a;
      }
    }
  }
  __syncthreads();
  keys[t] = s[t];
}
void launchExchange(unsigned *keys) { exchangeBad<<<1, 512>>>(keys); }

// Groups of eight lanes under masks of their own.
__global__ void groupMasksOk(const float *x, float *y, int rows) {
  const int row = blockIdx.x * (kBlock / 8) + threadIdx.x / 8;
  if (row >= rows)
    return;
  const unsigned mask = 0xffu << (threadIdx.x & 24);
  float v = x[row * 8 + threadIdx.x % 8];
  for (int o = 4; o > 0; o >>= 1)
    v += __shfl_down_sync(mask, v, o, 8);
  if (threadIdx.x % 8 == 0)
    y[row] = v;
}
void launchGroupMasks(const float *x, float *y, int rows) { groupMasksOk<<<(rows + 31) / 32, kBlock>>>(x, y, rows); }

// Two arrays carved from one block: places that data chooses in one are not in the other.
__global__ void carvedOk(const float *x, const int *to, float *y, int *n) {
  extern __shared__ float sums[];
  int *count = reinterpret_cast<int *>(sums + kBlock);
  sums[threadIdx.x] = x[threadIdx.x];
  count[threadIdx.x] = 0;
  __syncthreads();
  sums[threadIdx.x] += 1.0f;
  atomicAdd(&count[to[threadIdx.x]], 1);
  __syncthreads();
  y[threadIdx.x] = sums[threadIdx.x];
  n[threadIdx.x] = count[threadIdx.x];
}
void launchCarved(const float *x, const int *to, float *y, int *n) {
  carvedOk<<<1, kBlock, kBlock * (sizeof(float) + sizeof(int))>>>(x, to, y, n);
}

// Every thread points the shared pointer at the same place before it reads it.
__global__ void samePointerOk(const float *x, float *y) {
  __shared__ float line[kBlock];
  __shared__ float *at;
  at = line;
  at[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = at[kBlock - 1 - threadIdx.x];
}
void launchSamePointer(const float *x, float *y) { samePointerOk<<<1, kBlock>>>(x, y); }

// A fence orders what a block did before something that others look at; alone it orders nothing between blocks.
__global__ void fencedSumBad(const float *x, float *y, float *parts) {
  if (threadIdx.x == 0)
    parts[blockIdx.x] = x[blockIdx.x];
  __threadfence();
  __syncthreads();
  float total = 0.0f;
  for (int p = 0; p < 64; ++p)
    total += parts[p]; // expect: reject cross_block_dependency
  y[blockIdx.x * blockDim.x + threadIdx.x] = total;
}
void launchFencedSum(const float *x, float *y, float *parts) { fencedSumBad<<<64, 256>>>(x, y, parts); }

// Every bin is cleared by some thread while others already count: whatever bins the data names.
__global__ void clearedBad(const unsigned *keys, unsigned *counts, int n) {
  __shared__ unsigned bins[16];
  if (threadIdx.x < 16)
    bins[threadIdx.x] = 0;
  for (int i = threadIdx.x; i < n; i += 256)
    atomicAdd(&bins[keys[i] & 15u], 1u); // expect: reject missing_barrier
  __syncthreads();
  if (threadIdx.x < 16)
    atomicAdd(&counts[threadIdx.x], bins[threadIdx.x]);
}
void launchCleared(const unsigned *keys, unsigned *counts, int n) { clearedBad<<<1, 256>>>(keys, counts, n); }

// A chain from the right: the first block waits for the second, which may never start.
__global__ void rightToLeftBad(float *y, volatile float *edge, volatile int *ready) {
  float right = 0.0f;
  if (threadIdx.x == 0) {
    if (blockIdx.x + 1 < gridDim.x) {
      while (ready[blockIdx.x + 1] == 0) { // expect: reject cross_block_dependency
      }
      __threadfence();
      right = edge[blockIdx.x + 1];
    }
    edge[blockIdx.x] = right + y[blockIdx.x];
    __threadfence();
    ready[blockIdx.x] = 1;
    y[blockIdx.x] = right;
  }
}
void launchRightToLeft(float *y, float *edge, int *ready, int n) { rightToLeftBad<<<n, 32>>>(y, edge, ready); }
__global__ void leftToRightOk(float *y, volatile float *edge, volatile int *ready) {
  float left = 0.0f;
  if (threadIdx.x == 0) {
    if (blockIdx.x > 0) {
      while (ready[blockIdx.x - 1] == 0) {
      }
      __threadfence();
      left = edge[blockIdx.x - 1];
    }
    edge[blockIdx.x] = left + y[blockIdx.x];
    __threadfence();
    ready[blockIdx.x] = 1;
    y[blockIdx.x] = left;
  }
}
void launchLeftToRight(float *y, float *edge, int *ready, int n) { leftToRightOk<<<n, 32>>>(y, edge, ready); }

// What the whole block has voted is the same for the whole block, in the next trip too.
__global__ void untilSettledOk(int *out, const int *in) {
  __shared__ int label[256];
  label[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  int changed;
  do {
    const int other = label[(threadIdx.x + 1) % 256];
    changed = 0;
    changed |= other < label[threadIdx.x];
    __syncthreads();
    if (changed)
      label[threadIdx.x] = other;
    changed = __syncthreads_or(changed);
  } while (changed);
  out[threadIdx.x] = label[threadIdx.x];
}
__global__ void untilBrokenOk(int *out, const int *in) {
  __shared__ int label[256];
  label[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  while (true) {
    const int other = label[(threadIdx.x + 1) % 256];
    int changed = other < label[threadIdx.x];
    if (!__syncthreads_or(changed))
      break;
    if (changed)
      label[threadIdx.x] = other;
    __syncthreads();
  }
  out[threadIdx.x] = label[threadIdx.x];
}
__global__ void untilOwnSettledBad(int *out, const int *in) {
  __shared__ int label[256];
  label[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  int changed;
  do {
    const int other = label[(threadIdx.x + 1) % 256];
    changed = other < label[threadIdx.x];
    __syncthreads(); // expect: reject barrier_in_divergent_loop
    label[threadIdx.x] = changed ? other : label[threadIdx.x];
    __syncthreads(); // expect: reject barrier_in_divergent_loop
  } while (changed);
  out[threadIdx.x] = label[threadIdx.x];
}
void launchSettled(int *out, const int *in) {
  untilSettledOk<<<1, 256>>>(out, in);
  untilBrokenOk<<<1, 256>>>(out, in);
  untilOwnSettledBad<<<1, 256>>>(out, in);
}

// A block gives a place its first value when others may already have added to it.
__global__ void startedLateBad(const float *x, float *total, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0)
    *total = 0.0f; // expect: reject cross_block_dependency
  __syncthreads();
  if (i < n)
    atomicAdd(total, x[i]);
}
__global__ void flaggedLateBad(const float *x, int *flag, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 0)
    *flag = 0; // expect: reject cross_block_dependency
  __syncthreads();
  if (i < n && x[i] < 0.0f)
    *flag = 1;
}
__global__ void binsLateBad(const int *key, int *bins, int n, int numBins) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < numBins)
    bins[i] = 0; // expect: reject cross_block_dependency
  __syncthreads();
  if (i < n)
    atomicAdd(&bins[key[i]], 1);
}
__global__ void flaggedOk(const float *x, int *flag, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] < 0.0f)
    *flag = 1;
}
__global__ void startedByItsBlockOk(const float *x, float *sums, int cols) {
  if (threadIdx.x == 0)
    sums[blockIdx.x] = 0.0f;
  __syncthreads();
  for (int c = threadIdx.x; c < cols; c += blockDim.x)
    atomicAdd(&sums[blockIdx.x], x[(size_t)blockIdx.x * cols + c]);
}
__global__ void ticketResetOk(const float *x, float *out, unsigned *ticket, int n) {
  __shared__ bool last;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = x[i];
  __threadfence();
  if (threadIdx.x == 0)
    last = atomicAdd(ticket, 1) == gridDim.x - 1;
  __syncthreads();
  if (last && threadIdx.x == 0)
    *ticket = 0;
}
void launchStarts(const float *x, const int *key, float *f, int *flag, unsigned *ticket, int n) {
  startedLateBad<<<(n + 255) / 256, 256>>>(x, f, n);
  flaggedLateBad<<<(n + 255) / 256, 256>>>(x, flag, n);
  flaggedOk<<<(n + 255) / 256, 256>>>(x, flag, n);
  ticketResetOk<<<(n + 255) / 256, 256>>>(x, f, ticket, n);
}
void launchBins(const int *key, int *bins, int n, int numBins) { binsLateBad<<<(n + 255) / 256, 256>>>(key, bins, n, numBins); }
void launchOwnStarts(const float *x, float *sums, int rows, int cols) { startedByItsBlockOk<<<rows, 256>>>(x, sums, cols); }

// The same in one block, without a barrier.
__global__ void sharedFlagBad(const float *x, int *out, int n) {
  __shared__ int found;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0)
    found = 0;
  if (i < n && x[i] < 0.0f)
    found = 1; // expect: review missing_barrier
  __syncthreads();
  if (threadIdx.x == 0)
    out[blockIdx.x] = found;
}
void launchSharedFlag(const float *x, int *out, int n) { sharedFlagBad<<<(n + 255) / 256, 256>>>(x, out, n); }

// Updates at places that data chooses.
__global__ void scatterBad(const int *to, const float *x, float *sums, int n, int width) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n * width)
    sums[to[i / width] * width + i % width] += x[i]; // expect: review cross_block_dependency
}
__global__ void privateBinsOk(const int *key, int *bins, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = i; k < n; k += gridDim.x * blockDim.x)
    bins[i * 16 + (key[k] & 15)] += 1;
}
__global__ void chosenRowOk(const int *row, float *x, int cols) {
  float *mine = x + (size_t)row[blockIdx.x] * cols;
  for (int c = threadIdx.x; c < cols; c += blockDim.x)
    mine[c] *= 2.0f;
}
void launchScatter(const int *to, const float *x, float *sums, int n, int width) { scatterBad<<<(n * width + 255) / 256, 256>>>(to, x, sums, n, width); }
void launchPrivateBins(const int *key, int *bins, int n) { privateBinsOk<<<32, 128>>>(key, bins, n); }
void launchChosenRow(const int *row, float *x, int rows, int cols) { chosenRowOk<<<rows, 128>>>(row, x, cols); }

// The second trip of a block comes only past the launcher's cap on the grid.
__global__ void rowTripsBad(const float *x, float *y, int rows, int cols) {
  __shared__ float part[128];
  for (int r = blockIdx.x; r < rows; r += gridDim.x) {
    part[threadIdx.x] = threadIdx.x < cols ? x[(size_t)r * cols + threadIdx.x] : 0.0f;
    __syncthreads();
    float sum = 0.0f;
    for (int k = 0; k < 128; ++k)
      sum += part[k]; // expect: reject missing_barrier_war
    if (threadIdx.x < cols)
      y[(size_t)r * cols + threadIdx.x] = sum;
  }
}
void launchRowTrips(const float *x, float *y, int rows, int cols) {
  const int blocks = rows < 65535 ? rows : 65535;
  rowTripsBad<<<blocks, 128>>>(x, y, rows, cols);
}

// The device decides the block: what one answer shows is a doubt.
int capability();
__global__ void eitherWayBad(const float *x, float *y) {
  extern __shared__ float part[];
  part[threadIdx.x] = x[threadIdx.x];
  y[threadIdx.x] = part[blockDim.x - 1 - threadIdx.x]; // expect: review missing_barrier
}
void launchEitherWay(const float *x, float *y) {
  int threads = 128;
  if (capability() >= 80)
    threads = 256;
  eitherWayBad<<<1, threads, threads * sizeof(float)>>>(x, y);
}

// Which threads update one place is the data's choice: two that it chooses lose an update.
__global__ void countAboveBad(const float *x, float limit, int *count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] > limit)
    *count += 1; // expect: review cross_block_dependency
}
__global__ void largestBad(const float *x, float *largest, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] > *largest)
    *largest = x[i]; // expect: review cross_block_dependency
}
__global__ void scatterMinBad(const int *rowptr, const int *column, const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    for (int k = rowptr[i]; k < rowptr[i + 1]; ++k) {
      int c = column[k];
      y[c] = fminf(y[c], x[i]); // expect: review cross_block_dependency
    }
}
// One thread of each block: the blocks lose each other's updates.
__global__ void largestOfBlocksBad(const float *x, float *largest, int n) {
  __shared__ float part[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  part[threadIdx.x] = i < n ? x[i] : 0.0f;
  __syncthreads();
  for (int k = blockDim.x / 2; k > 0; k /= 2) {
    if (threadIdx.x < k)
      part[threadIdx.x] = fmaxf(part[threadIdx.x], part[threadIdx.x + k]);
    __syncthreads();
  }
  if (threadIdx.x == 0 && *largest < part[0])
    *largest = fmaxf(*largest, part[0]); // expect: review cross_block_dependency
}
// A place for each block, and the work of one block.
__global__ void largestOfEachOk(const float *x, float *largest, int n) {
  int i = blockIdx.x * blockDim.x;
  if (threadIdx.x == 0 && i < n && largest[blockIdx.x] < x[i])
    largest[blockIdx.x] = fmaxf(largest[blockIdx.x], x[i]);
}
__global__ void largestOfOneOk(const float *x, float *largest, int n) {
  float most = 0.0f;
  for (int i = 0; i < n; ++i)
    most = fmaxf(most, x[i]);
  if (threadIdx.x == 0 && *largest < most)
    *largest = fmaxf(*largest, most);
}
void launchCounts(const float *x, int *count, float *largest, const int *rowptr, const int *column, float *y, int n) {
  countAboveBad<<<(n + 255) / 256, 256>>>(x, 1.0f, count, n);
  largestBad<<<(n + 255) / 256, 256>>>(x, largest, n);
  largestOfBlocksBad<<<(n + 255) / 256, 256>>>(x, largest, n);
  largestOfEachOk<<<(n + 255) / 256, 256>>>(x, largest, n);
  scatterMinBad<<<(n + 255) / 256, 256>>>(rowptr, column, x, y, n);
}

// One thread that the data names, entries that a row has for itself, a flag that all set alike.
__global__ void chosenOk(const int *chosen, const float *x, float *sum, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && i == chosen[0])
    *sum += x[i];
}
__global__ void leaderOk(const float *x, int *count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || blockIdx.x)
    return;
  unsigned mask = __ballot_sync(__activemask(), x[i] > 0.0f);
  int leader = __ffs(mask) - 1;
  if (threadIdx.x < 32 && int(threadIdx.x) == leader)
    count[0] += __popc(mask);
}
__global__ void ownEntriesOk(const int *rowptr, float *value, const float *scale, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    for (int k = rowptr[i]; k < rowptr[i + 1]; ++k)
      value[k] *= scale[i];
}
__global__ void flagOk(const float *x, int *bad, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] != x[i] && !*bad)
    *bad = 1;
}
void launchChosen(const int *chosen, const float *x, float *sum, int *count, const int *rowptr, float *value, int *bad, int n) {
  chosenOk<<<(n + 255) / 256, 256>>>(chosen, x, sum, n);
  leaderOk<<<(n + 255) / 256, 256>>>(x, count, n);
  ownEntriesOk<<<(n + 255) / 256, 256>>>(rowptr, value, x, n);
  flagOk<<<(n + 255) / 256, 256>>>(x, bad, n);
}

// Handed over behind a fence and an atomic.
__device__ int handedOver;
__global__ void handOverOk(volatile unsigned *data) {
  if (threadIdx.x == 0) {
    data[0] = 1;
    __threadfence_block();
    atomicExch(&handedOver, 1);
  } else if (threadIdx.x == 32) {
    while (atomicExch(&handedOver, 0) == 0) {
    }
    data[1] = data[0];
  }
}
void launchHandOver(volatile unsigned *data) { handOverOk<<<1, 64>>>(data); }

// An interval that x lies in is one thread's.
__global__ void childOk(const int *start, int *node, int x, int n) {
  if (threadIdx.x + 1 < n && start[threadIdx.x] <= x && start[threadIdx.x + 1] > x)
    node[blockIdx.x] = node[blockIdx.x] * 2 + threadIdx.x;
}
void launchChild(const int *start, int *node, int x, int n) { childOk<<<4, 256>>>(start, node, x, n); }

// Shuffles across lane bits leave the sum in every lane: all store the same.
__device__ float sumOfWarp(float x) {
  for (int k = 16; k > 0; k >>= 1)
    x += __shfl_xor_sync(0xffffffffu, x, k);
  return x;
}
__global__ void everyLaneStoresOk(const float *x, float *y) {
  __shared__ float part[8];
  float sum = x[blockIdx.x * 256 + threadIdx.x];
  sum = sumOfWarp(sum);
  part[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 8)
    y[blockIdx.x * 8 + threadIdx.x] = part[threadIdx.x];
}
void launchEveryLane(const float *x, float *y, int blocks) { everyLaneStoresOk<<<blocks, 256>>>(x, y); }

// Callers choose the block: they may choose it no larger than a row.
__global__ void rowOfCallersBlock(const float *x, float *y, int columns) {
  extern __shared__ float rowSum[];
  if (threadIdx.x >= columns)
    return;
  rowSum[threadIdx.x] = x[blockIdx.x * columns + threadIdx.x];
  __syncthreads(); // expect: review barrier_after_return
  if (threadIdx.x == 0)
    y[blockIdx.x] = rowSum[columns - 1];
}
void launchCallersBlock(const float *x, float *y, int rows, int columns, int threads) {
  rowOfCallersBlock<<<rows, threads, threads * sizeof(float)>>>(x, y, columns);
}

// No launch shows the size, but a large one lets every thread past its bound.
__global__ void chunkPrefixBad(const int *x, int *y, int n) {
  __shared__ int scan[128], carry;
  if (threadIdx.x == 0)
    carry = 0;
  __syncthreads();
  for (int start = 0; start < n; start += 128) {
    int i = start + threadIdx.x;
    scan[threadIdx.x] = i < n ? x[i] : 0;
    __syncthreads();
    if (i < n)
      y[i] = carry + scan[threadIdx.x]; // expect: review missing_barrier_war
    if (threadIdx.x == 127)
      carry += scan[127];
    __syncthreads();
  }
}

// Rows of a fixed extent for sizes that callers keep below it.
__global__ void stagedRows(const float *x, float *y, int rows, int dim) {
  __shared__ float tile[32][64];
  const int count = min(32, rows - int(blockIdx.x) * 32);
  for (int i = threadIdx.x; i < count * dim; i += blockDim.x)
    tile[i / dim][i % dim] = x[blockIdx.x * 32 * dim + i]; // expect: review missing_barrier, review warp_sync_missing
  __syncthreads();
  for (int i = threadIdx.x; i < count * dim; i += blockDim.x)
    y[blockIdx.x * 32 * dim + i] = tile[i / dim][dim - 1 - i % dim];
}
void launchStagedRows(const float *x, float *y, int rows, int dim) { stagedRows<<<(rows + 31) / 32, 256>>>(x, y, rows, dim); }

// The writer is sure to come, the reader only where its data says so.
__global__ void runsBad(const float *x, const unsigned char *mask, float *y, int cols) {
  __shared__ unsigned char flag[256];
  const int c = threadIdx.x;
  flag[c] = mask[blockIdx.x * 256 + c];
  float s = 0;
  if (c < 255 && flag[c] && flag[c + 1]) // expect: review missing_barrier
    s = x[blockIdx.x * 256 + c];
  y[blockIdx.x * 256 + c] = s;
}
void launchRuns(const float *x, const unsigned char *mask, float *y, int rows) { runsBad<<<rows, 256>>>(x, mask, y, 256); }
// Nothing but a thread's own.
__global__ void ownRunsOk(const float *x, const unsigned char *mask, float *y) {
  __shared__ unsigned char flag[256];
  const int c = threadIdx.x;
  flag[c] = mask[blockIdx.x * 256 + c];
  y[blockIdx.x * 256 + c] = flag[c] ? x[blockIdx.x * 256 + c] : 0;
}
void launchOwnRuns(const float *x, const unsigned char *mask, float *y, int rows) { ownRunsOk<<<rows, 256>>>(x, mask, y); }
