// Baseline of rmsnorm: a block a row.
#include "baseline.cuh"

__global__ void rmsnorm(const T *__restrict__ x, const T *__restrict__ weight, T *__restrict__ y, int rows, int cols, float eps) {
  for (int r = blockIdx.x; r < rows; r += gridDim.x) {
    const T *in = x + (size_t)r * cols;
    Acc squares = 0;
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
      squares += Acc(widen(in[c])) * Acc(widen(in[c]));
    Acc inverse = rsqrt(blockReduce(squares, Acc(0), Plus()) / cols + Acc(eps));
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
      y[(size_t)r * cols + c] = narrow(widen(in[c]) * inverse * widen(weight[c]));
  }
}

void launch_rmsnorm(const T *x, const T *weight, T *y, int rows, int cols, float eps) {
  if (rows > 0 && cols > 0)
    rmsnorm<<<blocksFor(rows, 1), cols <= 1024 ? 128 : 256>>>(x, weight, y, rows, cols, eps);
}
