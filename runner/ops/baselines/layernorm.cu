// Baseline of layernorm: a block a row, mean first, then the squared distances from it.
#include "baseline.cuh"

__global__ void layernorm(const T *__restrict__ x, const T *__restrict__ gamma, const T *__restrict__ beta, T *__restrict__ y, int rows,
                          int cols, float eps) {
  for (int r = blockIdx.x; r < rows; r += gridDim.x) {
    const T *in = x + (size_t)r * cols;
    T *out = y + (size_t)r * cols;
    Acc sum = 0;
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
      sum += widen(in[c]);
    Acc mean = blockReduce(sum, Acc(0), Plus()) / cols, squares = 0;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) {
      Acc d = widen(in[c]) - mean;
      squares += d * d;
    }
    Acc inverse = rsqrt(blockReduce(squares, Acc(0), Plus()) / cols + Acc(eps));
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
      out[c] = narrow((widen(in[c]) - mean) * inverse * widen(gamma[c]) + widen(beta[c]));
  }
}

void launch_layernorm(const T *x, const T *gamma, const T *beta, T *y, int rows, int cols, float eps) {
  if (rows > 0 && cols > 0)
    layernorm<<<blocksFor(rows, 1), cols <= 1024 ? 128 : 256>>>(x, gamma, beta, y, rows, cols, eps);
}
