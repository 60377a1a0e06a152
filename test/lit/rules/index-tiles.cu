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
