// RUN: %kcheck_test --rules shared-bounds,type-width,index-space %s
// Places that data chooses within known bounds, bits of 64-bit words, rows by their own length.
#include <cstdint>
#include <cuda_runtime.h>

__global__ void warpBinsBad(const unsigned *key, unsigned *count, int n) {
  __shared__ unsigned bins[8][64];
  for (int i = threadIdx.x; i < 8 * 64; i += blockDim.x)
    bins[i / 64][i % 64] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&bins[threadIdx.x / 32][key[i] & 63], 1u); // expect: reject shared_index_out_of_range
  __syncthreads();
  if (threadIdx.x < 64)
    atomicAdd(&count[threadIdx.x], bins[0][threadIdx.x]);
}
__global__ void warpBinsOk(const unsigned *key, unsigned *count, int n) {
  __shared__ unsigned bins[16 * 64];
  for (int i = threadIdx.x; i < 16 * 64; i += blockDim.x)
    bins[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&bins[(threadIdx.x / 32) * 64 + key[i] % 64], 1u);
  __syncthreads();
  if (threadIdx.x < 64)
    atomicAdd(&count[threadIdx.x], bins[threadIdx.x]);
}
__global__ void maskTooWideDoubt(const unsigned *key, unsigned *count, int n) {
  __shared__ unsigned bins[128];
  if (threadIdx.x < 128)
    bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&bins[key[i] & 0xff], 1u); // expect: review shared_index_out_of_range
  __syncthreads();
  if (threadIdx.x < 128)
    atomicAdd(&count[threadIdx.x], bins[threadIdx.x]);
}
__global__ void signedBinsBad(const int8_t *q, unsigned *count, int n) {
  __shared__ unsigned bins[256];
  if (threadIdx.x < 256)
    bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&bins[q[i]], 1u); // expect: reject shared_index_out_of_range
  __syncthreads();
  if (threadIdx.x < 256)
    atomicAdd(&count[threadIdx.x], bins[threadIdx.x]);
}
__global__ void biasedBinsOk(const int8_t *q, unsigned *count, int n) {
  __shared__ unsigned bins[256];
  if (threadIdx.x < 256)
    bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&bins[q[i] + 128], 1u);
  __syncthreads();
  if (threadIdx.x < 256)
    atomicAdd(&count[threadIdx.x], bins[threadIdx.x]);
}
__global__ void testedBinsOk(const int8_t *q, const unsigned *key, unsigned *count, int n) {
  __shared__ unsigned bins[256], few[128];
  if (threadIdx.x < 256)
    bins[threadIdx.x] = 0;
  if (threadIdx.x < 128)
    few[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    if (q[i] >= 0)
      atomicAdd(&bins[q[i]], 1u);
    if ((key[i] & 0xff) >= 128)
      continue;
    atomicAdd(&few[key[i] & 0xff], 1u);
  }
  __syncthreads();
  if (threadIdx.x < 128)
    atomicAdd(&count[threadIdx.x], bins[threadIdx.x] + few[threadIdx.x]);
}
void bins(const unsigned *key, const int8_t *q, unsigned *count, int n) {
  if (n <= 0)
    return;
  warpBinsBad<<<132, 512>>>(key, count, n);
  warpBinsOk<<<132, 512>>>(key, count, n);
  maskTooWideDoubt<<<132, 512>>>(key, count, n);
  signedBinsBad<<<132, 512>>>(q, count, n);
  biasedBinsOk<<<132, 512>>>(q, count, n);
  testedBinsOk<<<132, 512>>>(q, key, count, n);
}

__global__ void bits(const float *x, unsigned long long *word, unsigned *half, int n, int k) {
  const int q = blockIdx.x * blockDim.x + threadIdx.x;
  if (q >= n)
    return;
  unsigned long long w = 0;
  unsigned h = 0;
  for (int j = 0; j < 64; ++j)
    if (x[(size_t)j * n + q] > 0)
      w |= 1 << j; // expect: reject size_overflow
  for (int j = 0; j < 64; ++j)
    if (x[(size_t)j * n + q] < 0)
      w |= 1ull << j;
  for (int j = 0; j < 16; ++j)
    if (x[(size_t)j * n + q] > 1)
      w |= 1 << j;
  for (int j = 0; j < 32; ++j)
    h |= 1u << j;
  w &= ~(1u << (k & 63)); // expect: reject size_overflow
  w |= 1 << k; // expect: review size_overflow
  word[q] = w;
  half[q] = h;
}

__global__ void pagesBad(const int *table, const int *lens, int *out, int pitch) {
  const int seq = blockIdx.x;
  const int pages = (lens[seq] + 15) / 16;
  const int *row = table + (size_t)seq * pages; // expect: reject wrong_stride
  for (int i = threadIdx.x; i < pages; i += blockDim.x)
    out[seq * blockDim.x + threadIdx.x] = row[i];
}
__global__ void pagesOk(const int *table, const int *lens, int *out, int pitch) {
  const int seq = blockIdx.x;
  const int pages = (lens[seq] + 15) / 16;
  const int *row = table + (size_t)seq * pitch;
  int sum = 0;
  for (int i = threadIdx.x; i < pages; i += blockDim.x)
    sum += row[i];
  out[seq * blockDim.x + threadIdx.x] = sum;
}

__global__ void windowBad(const float *x, float *y, int len, int window) {
  const float *row = x + (size_t)blockIdx.x * len;
  for (int o = threadIdx.x; o < len; o += blockDim.x) {
    float best = 0.f;
    for (int k = 0; k < window; ++k) {
      const int t = o - window / 2 + k;
      if (t >= 0 && t <= len) // expect: reject guard_off_by_one
        best = fmaxf(best, row[t]);
    }
    y[(size_t)blockIdx.x * len + o] = best;
  }
}
__global__ void windowOk(const float *x, float *y, int len, int last) {
  const float *row = x + (size_t)blockIdx.x * len;
  for (int t = threadIdx.x; t < len; t += blockDim.x)
    if (t <= last)
      y[(size_t)blockIdx.x * len + t] = row[t];
}
