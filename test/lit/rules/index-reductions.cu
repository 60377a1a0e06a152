// RUN: %kcheck_test --rules index-space,sync %s
// Reductions over blocks that are no power of two, and sizes that a launcher rounds up to whole warps.
#include <cuda_runtime.h>

__global__ void halvesBad(const float *a, float *y, int k) {
  __shared__ float part[192];
  float acc = 0.f;
  for (int i = threadIdx.x; i < k; i += blockDim.x)
    acc += a[(size_t)blockIdx.x * k + i];
  part[threadIdx.x] = acc;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s)
      part[threadIdx.x] += part[threadIdx.x + s]; // expect: reject coverage_mismatch
    __syncthreads();
  }
  if (threadIdx.x == 0)
    y[blockIdx.x] = part[0];
}
// The upper half, rounded up, is added to the lower: nothing is left out.
__global__ void halvesOk(const float *a, float *y, int k) {
  __shared__ float part[192];
  float acc = 0.f;
  for (int i = threadIdx.x; i < k; i += blockDim.x)
    acc += a[(size_t)blockIdx.x * k + i];
  part[threadIdx.x] = acc;
  __syncthreads();
  for (int left = blockDim.x; left > 1;) {
    const int half = (left + 1) / 2;
    if (threadIdx.x < left / 2)
      part[threadIdx.x] += part[threadIdx.x + half];
    left = half;
    __syncthreads();
  }
  if (threadIdx.x == 0)
    y[blockIdx.x] = part[0];
}
// What lies past the largest power of two is added first.
__global__ void foldedOk(const float *a, float *y, int k) {
  __shared__ float part[192];
  float acc = 0.f;
  for (int i = threadIdx.x; i < k; i += blockDim.x)
    acc += a[(size_t)blockIdx.x * k + i];
  part[threadIdx.x] = acc;
  __syncthreads();
  if (threadIdx.x < 64)
    part[threadIdx.x] += part[threadIdx.x + 128];
  __syncthreads();
  for (int s = 64; s > 0; s >>= 1) {
    if (threadIdx.x < s)
      part[threadIdx.x] += part[threadIdx.x + s];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    y[blockIdx.x] = part[0];
}
// A scan hands the last thread's own value to nobody.
__global__ void exclusiveScanOk(const int *a, int *y) {
  __shared__ int part[96];
  part[threadIdx.x] = a[blockIdx.x * 96 + threadIdx.x];
  __syncthreads();
  for (int s = 1; s < 96; s *= 2) {
    const int v = threadIdx.x >= s ? part[threadIdx.x - s] : 0;
    __syncthreads();
    part[threadIdx.x] += v;
    __syncthreads();
  }
  y[blockIdx.x * 96 + threadIdx.x] = threadIdx.x ? part[threadIdx.x - 1] : 0;
}

__global__ void partWarpBad(const float *x, float *y, int cols) {
  __shared__ float top[32];
  const int t = threadIdx.x;
  if (t < 32)
    top[t] = 0.f;
  __syncthreads();
  if (t < cols) {
    float m = x[(size_t)blockIdx.x * cols + t];
    for (int o = 16; o > 0; o >>= 1)
      m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, o)); // expect: reject shuffle_mask
    if (t % 32 == 0)
      top[t / 32] = m;
  }
  __syncthreads();
  if (t < cols)
    y[(size_t)blockIdx.x * cols + t] = top[t / 32];
}
__global__ void wholeWarpOk(const float *x, float *y, int cols) {
  const int t = threadIdx.x;
  float m = t < cols ? x[(size_t)blockIdx.x * cols + t] : -1e30f;
  for (int o = 16; o > 0; o >>= 1)
    m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, o));
  if (t < cols)
    y[(size_t)blockIdx.x * cols + t] = m;
}
// The caller's own number of threads is what people pass: whole warps.
__global__ void callersBlockOk(const float *x, float *y, int cols) {
  float m = x[(size_t)blockIdx.x * cols + threadIdx.x];
  for (int o = 16; o > 0; o >>= 1)
    m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, o));
  y[(size_t)blockIdx.x * cols + threadIdx.x] = m;
}

void launch(const float *a, float *y, const int *u, int *v, int rows, int k) {
  halvesBad<<<rows, 192>>>(a, y, k);
  halvesOk<<<rows, 192>>>(a, y, k);
  foldedOk<<<rows, 192>>>(a, y, k);
  exclusiveScanOk<<<rows, 96>>>(u, v);
}
void softmaxParts(const float *x, float *y, int rows, int cols) {
  const int threads = (cols + 31) / 32 * 32;
  partWarpBad<<<rows, threads>>>(x, y, cols);
  wholeWarpOk<<<rows, threads>>>(x, y, cols);
}
void ownBlock(const float *x, float *y, int rows, int cols) { callersBlockOk<<<rows, cols>>>(x, y, cols); }
