// RUN: %kcheck_test --rules=index-space %s
// Rows that are worked on by tiles.
#include <cuda_runtime.h>

// Tiles along rows: with the number of tiles rounded down the rest of each row is left, though those of the result are not.
template <bool RoundUp> __device__ float dot(const float *a, const float *b, int k, bool row, bool column) {
  __shared__ float left[16][16], right[16][16];
  float sum = 0;
  for (int t = 0; t < (RoundUp ? (k + 15) / 16 : k / 16); ++t) {
    int mine = t * 16 + threadIdx.x, other = t * 16 + threadIdx.y;
    left[threadIdx.y][threadIdx.x] = row && mine < k ? a[mine] : 0.0f; // expect: review tail_not_covered
    right[threadIdx.y][threadIdx.x] = column && other < k ? b[other] : 0.0f;
    __syncthreads();
    for (int i = 0; i < 16; ++i)
      sum += left[threadIdx.y][i] * right[i][threadIdx.x];
    __syncthreads();
  }
  return sum;
}
__global__ void productRoundedDown(const float *a, const float *b, float *c, int m, int n, int k) {
  int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  float sum = dot<false>(a + (size_t)row * k, b + (size_t)column * k, k, row < m, column < n);
  if (row < m && column < n)
    c[(size_t)row * n + column] = sum;
}
__global__ void productOk(const float *a, const float *b, float *c, int m, int n, int k) {
  int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  float sum = dot<true>(a + (size_t)row * k, b + (size_t)column * k, k, row < m, column < n);
  if (row < m && column < n)
    c[(size_t)row * n + column] = sum;
}
void launchProducts(const float *a, const float *b, float *c, int m, int n, int k) {
  dim3 grid((n + 15) / 16, (m + 15) / 16), block(16, 16);
  productRoundedDown<<<grid, block>>>(a, b, c, m, n, k);
  productOk<<<grid, block>>>(a, b, c, m, n, k);
}

// More partial sums than the second launch has threads for.
__global__ void partialSums(const float *x, float *partial, int n) {
  float s = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    s += x[i];
  for (int o = 16; o > 0; o /= 2)
    s += __shfl_xor_sync(0xffffffffu, s, o);
  if (threadIdx.x == 0)
    partial[blockIdx.x] = s;
}
__global__ void sumOfFew(const float *partial, float *out, int blocks) {
  float s = threadIdx.x < blocks ? partial[threadIdx.x] : 0.0f;
  for (int o = 16; o > 0; o /= 2)
    s += __shfl_xor_sync(0xffffffffu, s, o);
  if (threadIdx.x == 0)
    *out = s;
}
__global__ void sumOfAll(const float *partial, float *out, int blocks) {
  float s = 0;
  for (int i = threadIdx.x; i < blocks; i += 32)
    s += partial[i];
  for (int o = 16; o > 0; o /= 2)
    s += __shfl_xor_sync(0xffffffffu, s, o);
  if (threadIdx.x == 0)
    *out = s;
}
void sumBad(const float *x, float *out, int n) {
  int blocks = (n + 31) / 32 < 512 ? (n + 31) / 32 : 512;
  float *partial;
  cudaMalloc(&partial, blocks * sizeof(float));
  partialSums<<<blocks, 32>>>(x, partial, n);
  sumOfFew<<<1, 32>>>(partial, out, blocks); // expect: reject coverage_mismatch
  cudaFree(partial);
}
void sumOk(const float *x, float *out, int n) {
  int blocks = (n + 31) / 32 < 512 ? (n + 31) / 32 : 512;
  float *partial;
  cudaMalloc(&partial, blocks * sizeof(float));
  partialSums<<<blocks, 32>>>(x, partial, n);
  sumOfAll<<<1, 32>>>(partial, out, blocks);
  cudaFree(partial);
}
// What pads a buffer to whole blocks is nobody's result.
__global__ void squaresPadded(const float *x, float *tmp, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tmp[i] = i < n ? x[i] * x[i] : 0.0f;
}
__global__ void backwards(const float *tmp, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = tmp[n - 1 - i];
}
void padOk(const float *x, float *y, int n) {
  int blocks = (n + 255) / 256;
  float *tmp;
  cudaMalloc(&tmp, blocks * 256 * sizeof(float));
  squaresPadded<<<blocks, 256>>>(x, tmp, n);
  backwards<<<(n + 31) / 32, 32>>>(tmp, y, n);
  cudaFree(tmp);
}

// A slot from memory, of which the kernel itself says how large it may be.
__global__ void appendBad(const float *x, const int *slot, float *pool) {
  const int s = slot[blockIdx.x];
  if (s < 0 || s >= 1 << 18)
    return;
  pool[s * 128 * 128 + threadIdx.x] = x[blockIdx.x * 128 + threadIdx.x]; // expect: review index_overflow_32
}
__global__ void appendOk(const float *x, const int *slot, float *pool) {
  const int s = slot[blockIdx.x];
  if (s < 0 || s >= 1 << 16)
    return;
  pool[s * 128 * 128 + threadIdx.x] = x[blockIdx.x * 128 + threadIdx.x];
}
void launchAppends(const float *x, const int *slot, float *pool, int n) {
  appendBad<<<n, 128>>>(x, slot, pool);
  appendOk<<<n, 128>>>(x, slot, pool);
}
