// Baseline of col_sum: a thread a column, neighbours read neighbours; eight slices of rows a block, joined in shared memory.
#include "baseline.cuh"

__global__ void colSum(const T *__restrict__ x, T *__restrict__ y, int rows, int cols) {
  __shared__ Acc part[8][33];
  int c = blockIdx.x * 32 + threadIdx.x;
  Acc v = 0;
  if (c < cols)
    for (int r = threadIdx.y; r < rows; r += 8)
      v += widen(x[(size_t)r * cols + c]);
  part[threadIdx.y][threadIdx.x] = v;
  __syncthreads();
  if (threadIdx.y == 0 && c < cols) {
    for (int k = 1; k < 8; ++k)
      v += part[k][threadIdx.x];
    y[c] = narrow(v);
  }
}

void launch_col_sum(const T *x, T *y, int rows, int cols) {
  if (cols > 0)
    colSum<<<(cols + 31) / 32, dim3(32, 8)>>>(x, y, rows, cols);
}
