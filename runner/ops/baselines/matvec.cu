// Baseline of matvec: a warp a row.
#include "baseline.cuh"

__global__ void matvec(const T *__restrict__ a, const T *__restrict__ x, T *__restrict__ y, int rows, int cols) {
  int lane = threadIdx.x % 32;
  for (int r = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32; r < rows; r += gridDim.x * (blockDim.x / 32)) {
    Acc v = 0;
    for (int c = lane; c < cols; c += 32)
      v += Acc(widen(a[(size_t)r * cols + c])) * Acc(widen(x[c]));
    for (int d = 16; d > 0; d /= 2)
      v += __shfl_down_sync(0xffffffffu, v, d);
    if (lane == 0)
      y[r] = narrow(v);
  }
}

void launch_matvec(const T *a, const T *x, T *y, int rows, int cols) {
  if (rows > 0)
    matvec<<<blocksFor(rows, 8), 256>>>(a, x, y, rows, cols);
}
