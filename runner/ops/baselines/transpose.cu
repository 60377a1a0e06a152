// Baseline of transpose: 32x32 tiles through shared memory, a column of padding against bank conflicts.
#include "baseline.cuh"

__global__ void transpose(const T *__restrict__ x, T *__restrict__ y, int rows, int cols) {
  __shared__ T tile[32][33];
  int c = blockIdx.x * 32 + threadIdx.x, r0 = blockIdx.y * 32;
  for (int k = threadIdx.y; k < 32; k += 8)
    if (r0 + k < rows && c < cols)
      tile[k][threadIdx.x] = x[(size_t)(r0 + k) * cols + c];
  __syncthreads();
  int r = r0 + threadIdx.x, c0 = blockIdx.x * 32;
  for (int k = threadIdx.y; k < 32; k += 8)
    if (c0 + k < cols && r < rows)
      y[(size_t)(c0 + k) * rows + r] = tile[threadIdx.x][k];
}

void launch_transpose(const T *x, T *y, int rows, int cols) {
  if (rows > 0 && cols > 0)
    transpose<<<dim3((cols + 31) / 32, (rows + 31) / 32), dim3(32, 8)>>>(x, y, rows, cols);
}
