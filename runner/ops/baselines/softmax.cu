// Baseline of softmax: a block a row; the row stays in L1 between the passes.
#include "baseline.cuh"
#include <math.h>

__global__ void rowSoftmax(const T *__restrict__ x, T *__restrict__ y, int rows, int cols) {
  for (int r = blockIdx.x; r < rows; r += gridDim.x) {
    const T *in = x + (size_t)r * cols;
    T *out = y + (size_t)r * cols;
    Acc top = -INFINITY;
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
      top = Larger()(top, Acc(widen(in[c])));
    top = blockReduce(top, Acc(-INFINITY), Larger());
    Acc sum = 0;
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
      sum += exp(widen(in[c]) - top);
    Acc inverse = Acc(1) / blockReduce(sum, Acc(0), Plus());
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
      out[c] = narrow(exp(widen(in[c]) - top) * inverse);
  }
}

void launch_softmax(const T *x, T *y, int rows, int cols) {
  if (rows > 0 && cols > 0)
    rowSoftmax<<<blocksFor(rows, 1), cols <= 128 ? 64 : cols <= 1024 ? 128 : 256>>>(x, y, rows, cols);
}
