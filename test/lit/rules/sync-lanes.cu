// RUN: %kcheck_test --rules sync %s
// Lanes that data parts, groups of copies that come late, grids that wait in plain launches.
#include <cooperative_groups.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>

__global__ void shortRowsBad(const int *first, const float *v, float *y, int rows) {
  const int r = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (r >= rows)
    return;
  const int begin = first[r], len = first[r + 1] - begin;
  if (lane < len) {
    float s = v[begin + lane];
    for (int o = 16; o > 0; o >>= 1)
      s += __shfl_down_sync(0xffffffffu, s, o); // expect: reject shuffle_mask
    if (lane == 0)
      y[r] = s;
  }
}
__global__ void shortRowsOk(const int *first, const float *v, float *y, int rows) {
  const int r = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (r >= rows)
    return;
  const int begin = first[r], len = first[r + 1] - begin;
  float s = lane < len ? v[begin + lane] : 0.f;
  for (int o = 16; o > 0; o >>= 1)
    s += __shfl_down_sync(0xffffffffu, s, o);
  if (lane == 0)
    y[r] = s;
}
__global__ void emptyRowsOk(const int *first, const float *v, float *y, int rows) {
  const int r = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (r >= rows)
    return;
  if (r < first[0]) { // one for the warp
    float s = v[r * 32 + lane];
    for (int o = 16; o > 0; o >>= 1)
      s += __shfl_xor_sync(0xffffffffu, s, o);
    if (lane == 0)
      y[r] = s;
  }
}
void launchRows(const int *first, const float *v, float *y, int rows) {
  if (rows <= 0)
    return;
  shortRowsBad<<<(rows + 7) / 8, 256>>>(first, v, y, rows);
  shortRowsOk<<<(rows + 7) / 8, 256>>>(first, v, y, rows);
  emptyRowsOk<<<(rows + 7) / 8, 256>>>(first, v, y, rows);
}

constexpr int Dim = 512;
__device__ void fetch(float *to, const float *from) {
  __pipeline_memcpy_async(to + threadIdx.x * 4, from + threadIdx.x * 4, 16);
  __pipeline_commit();
}
__global__ void lastRowBad(const float *x, const int *ends, float *y) {
  __shared__ __align__(16) float line[2][Dim];
  const int begin = ends[blockIdx.x], end = ends[blockIdx.x + 1];
  float s = 0.f;
  if (begin < end)
    fetch(line[0], x + (size_t)begin * Dim);
  for (int b = begin; b < end; ++b) {
    const int at = (b - begin) & 1;
    if (b + 1 < end)
      fetch(line[at ^ 1], x + (size_t)(b + 1) * Dim);
    __pipeline_wait_prior(1); // expect: reject missing_barrier
    __syncthreads();
    s += line[at][threadIdx.x];
    __syncthreads();
  }
  y[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
__global__ void emptyGroupOk(const float *x, const int *ends, float *y) {
  __shared__ __align__(16) float line[2][Dim];
  const int begin = ends[blockIdx.x], end = ends[blockIdx.x + 1];
  float s = 0.f;
  if (begin < end)
    fetch(line[0], x + (size_t)begin * Dim);
  for (int b = begin; b < end; ++b) {
    const int at = (b - begin) & 1;
    if (b + 1 < end)
      __pipeline_memcpy_async(&line[at ^ 1][threadIdx.x * 4], x + (size_t)(b + 1) * Dim + threadIdx.x * 4, 16);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    s += line[at][threadIdx.x];
    __syncthreads();
  }
  y[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
__global__ void waitsByCaseOk(const float *x, const int *ends, float *y) {
  __shared__ __align__(16) float line[2][Dim];
  const int begin = ends[blockIdx.x], end = ends[blockIdx.x + 1];
  float s = 0.f;
  if (begin < end)
    fetch(line[0], x + (size_t)begin * Dim);
  for (int b = begin; b < end; ++b) {
    const int at = (b - begin) & 1;
    if (b + 1 < end) {
      fetch(line[at ^ 1], x + (size_t)(b + 1) * Dim);
      __pipeline_wait_prior(1);
    } else
      __pipeline_wait_prior(0);
    __syncthreads();
    s += line[at][threadIdx.x];
    __syncthreads();
  }
  y[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
void launchCopies(const float *x, const int *ends, float *y, int segments) {
  if (segments <= 0)
    return;
  lastRowBad<<<segments, 128>>>(x, ends, y);
  emptyGroupOk<<<segments, 128>>>(x, ends, y);
  waitsByCaseOk<<<segments, 128>>>(x, ends, y);
}

// Two stages, and a wait that leaves both of their groups in flight.
__global__ void waitsTooLittleBad(const float *x, float *y, int tiles) {
  __shared__ __align__(16) float line[2][Dim];
  const float *row = x + (size_t)blockIdx.x * tiles * Dim;
  fetch(line[0], row);
  float s = 0.f;
  for (int t = 0; t < tiles; ++t) {
    if (t + 1 < tiles)
      __pipeline_memcpy_async(&line[(t + 1) & 1][threadIdx.x * 4], row + (size_t)(t + 1) * Dim + threadIdx.x * 4, 16);
    __pipeline_commit();
    __pipeline_wait_prior(2); // expect: reject missing_barrier
    __syncthreads();
    s += line[t & 1][threadIdx.x];
    __syncthreads();
  }
  y[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
// Three stages: two groups may be in flight.
__global__ void threeStagesOk(const float *x, float *y, int tiles) {
  __shared__ __align__(16) float line[3][Dim];
  const float *row = x + (size_t)blockIdx.x * tiles * Dim;
  for (int t = 0; t < 2; ++t) {
    if (t < tiles)
      __pipeline_memcpy_async(&line[t][threadIdx.x * 4], row + (size_t)t * Dim + threadIdx.x * 4, 16);
    __pipeline_commit();
  }
  float s = 0.f;
  for (int t = 0; t < tiles; ++t) {
    if (t + 2 < tiles)
      __pipeline_memcpy_async(&line[(t + 2) % 3][threadIdx.x * 4], row + (size_t)(t + 2) * Dim + threadIdx.x * 4, 16);
    __pipeline_commit();
    __pipeline_wait_prior(2);
    __syncthreads();
    s += line[t % 3][threadIdx.x];
    __syncthreads();
  }
  y[blockIdx.x * blockDim.x + threadIdx.x] = s;
}
void launchStages(const float *x, float *y, int blocks, int tiles) {
  if (blocks <= 0 || tiles <= 0)
    return;
  waitsTooLittleBad<<<blocks, 128>>>(x, y, tiles);
  threeStagesOk<<<blocks, 128>>>(x, y, tiles);
}

__global__ void wholeGrid(float *x, float *y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i] + 1.f;
  cooperative_groups::this_grid().sync();
  x[i] = y[i];
}
void launchGridBad(float *x, float *y) { wholeGrid<<<64, 256>>>(x, y); } // expect: reject cross_block_dependency
void launchGridOk(float *x, float *y) {
  void *args[] = {&x, &y};
  cudaLaunchCooperativeKernel(wholeGrid, dim3(64), dim3(256), args, 0, 0);
}

// Rows of compressed storage end where data says, wherever they begin.
__global__ void peaksBad(const int *first, const float *v, float *y, int rows) {
  const int r = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (r >= rows)
    return;
  float best = -1;
  for (int k = first[r] + lane; k < first[r + 1]; k += 32) {
    float mine = v[k];
    for (int o = 16; o > 0; o >>= 1)
      mine = fmaxf(mine, __shfl_xor_sync(0xffffffffu, mine, o)); // expect: review shuffle_mask
    best = fmaxf(best, mine);
  }
  if (lane == 0)
    y[r] = best;
}
__global__ void peaksOk(const int *first, const float *v, float *y, int rows) {
  const int r = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (r >= rows)
    return;
  float best = -1;
  for (int k = first[r] + lane; k < first[r + 1]; k += 32)
    best = fmaxf(best, v[k]);
  for (int k = first[r]; k < first[r + 1]; k += 32) {
    float mine = k + lane < first[r + 1] ? v[k + lane] : best;
    for (int o = 16; o > 0; o >>= 1)
      mine = fmaxf(mine, __shfl_xor_sync(0xffffffffu, mine, o));
    best = fmaxf(best, mine);
  }
  if (lane == 0)
    y[r] = best;
}
void launchPeaks(const int *first, const float *v, float *y, int rows) {
  peaksBad<<<(rows + 7) / 8, 256>>>(first, v, y, rows);
  peaksOk<<<(rows + 7) / 8, 256>>>(first, v, y, rows);
}

// Each lane asks an element of its own.
__global__ void largerBad(const float *x, float *y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float v = i < n ? x[i] : 0;
  float r = v;
  if (v > 0)
    r = fmaxf(v, __shfl_down_sync(0xffffffffu, v, 1)); // expect: reject shuffle_mask
  if (i < n)
    y[i] = r;
}
void launchLarger(const float *x, float *y, int n) { largerBad<<<(n + 255) / 256, 256>>>(x, y, n); }
// The warp's own element, and what all lanes agree on.
__global__ void largerOk(const float *x, const int *kind, float *y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float v = i < n ? x[i] : 0;
  float r = v;
  if (kind[i / 32] > 0)
    r = fmaxf(v, __shfl_down_sync(0xffffffffu, v, 1));
  const bool any = __any_sync(0xffffffffu, v > 0);
  if (any)
    r = fmaxf(r, __shfl_down_sync(0xffffffffu, r, 2));
  if (i < n)
    y[i] = r;
}
void launchLargerOk(const float *x, const int *kind, float *y, int n) { largerOk<<<(n + 255) / 256, 256>>>(x, kind, y, n); }
// Eight lanes a row, rows of their own lengths.
__global__ void sparseRowsBad(const int *ptr, const float *val, float *y, int rows) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 8, lane = threadIdx.x % 8;
  if (row < rows) {
    float total = 0;
    const int end = ptr[row + 1];
    for (int base = ptr[row]; base < end; base += 8) {
      float p = base + lane < end ? val[base + lane] : 0;
      for (int o = 4; o > 0; o >>= 1)
        p += __shfl_xor_sync(0xffffffffu, p, o, 8); // expect: reject shuffle_mask
      total += p;
    }
    if (lane == 0)
      y[row] = total;
  }
}
void launchSparseRows(const int *ptr, const float *val, float *y, int rows) { sparseRowsBad<<<(rows * 8 + 127) / 128, 128>>>(ptr, val, y, rows); }

// The place of the largest: a lane that has the larger value itself does not come to the second shuffle.
__global__ void largestBad(const float *x, int *at, int n) {
  int best = 0;
  float v = -1e30f;
  for (int i = threadIdx.x; i < n; i += 32)
    if (x[(size_t)blockIdx.x * n + i] > v) {
      v = x[(size_t)blockIdx.x * n + i];
      best = i;
    }
  for (int o = 16; o > 0; o /= 2) {
    float other = __shfl_down_sync(0xffffffffu, v, o);
    if (other > v) {
      v = other;
      best = __shfl_down_sync(0xffffffffu, best, o); // expect: reject shuffle_mask
    }
  }
  if (threadIdx.x == 0)
    at[blockIdx.x] = best;
}
__global__ void largestOk(const float *x, int *at, int n) {
  int best = 0;
  float v = -1e30f;
  for (int i = threadIdx.x; i < n; i += 32)
    if (x[(size_t)blockIdx.x * n + i] > v) {
      v = x[(size_t)blockIdx.x * n + i];
      best = i;
    }
  for (int o = 16; o > 0; o /= 2) {
    float other = __shfl_down_sync(0xffffffffu, v, o);
    int place = __shfl_down_sync(0xffffffffu, best, o);
    if (other > v) {
      v = other;
      best = place;
    }
  }
  if (threadIdx.x == 0)
    at[blockIdx.x] = best;
}
void launchLargest(const float *x, int *at, int rows, int n) {
  largestBad<<<rows, 32>>>(x, at, n);
  largestOk<<<rows, 32>>>(x, at, n);
}
