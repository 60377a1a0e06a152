// Baseline of cross_entropy: a block a row.
#include "baseline.cuh"
#include <math.h>

__global__ void crossEntropy(const T *__restrict__ logits, const int *__restrict__ labels, T *__restrict__ loss, int rows, int cols) {
  for (int r = blockIdx.x; r < rows; r += gridDim.x) {
    const T *in = logits + (size_t)r * cols;
    Acc top = -INFINITY, sum = 0;
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
      top = Larger()(top, Acc(widen(in[c])));
    top = blockReduce(top, Acc(-INFINITY), Larger());
    for (int c = threadIdx.x; c < cols; c += blockDim.x)
      sum += exp(widen(in[c]) - top);
    sum = blockReduce(sum, Acc(0), Plus());
    if (threadIdx.x == 0)
      loss[r] = narrow(log(sum) + top - widen(in[labels[r]]));
  }
}

void launch_cross_entropy(const T *logits, const int *labels, T *loss, int rows, int cols) {
  if (rows > 0)
    crossEntropy<<<blocksFor(rows, 1), cols <= 1024 ? 128 : 256>>>(logits, labels, loss, rows, cols);
}
