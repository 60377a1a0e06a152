// Baseline of cross_entropy_mean: the rows' losses, then their mean by one block.
#include "baseline.cuh"
#include <math.h>

constexpr int MostRows = 1 << 20;
__device__ Acc losses[MostRows];

__global__ void rowLoss(const T *__restrict__ logits, const int *__restrict__ labels, int rows, int cols) {
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
      losses[r] = log(sum) + top - widen(in[labels[r]]);
  }
}

__global__ void mean(T *loss, int rows) {
  Acc v = 0;
  for (int r = threadIdx.x; r < rows; r += blockDim.x)
    v += losses[r];
  v = blockReduce(v, Acc(0), Plus());
  if (threadIdx.x == 0)
    *loss = narrow(v / rows);
}

void launch_cross_entropy_mean(const T *logits, const int *labels, T *loss, int rows, int cols) {
  if (rows <= 0 || rows > MostRows)
    return;
  rowLoss<<<blocksFor(rows, 1), cols <= 1024 ? 128 : 256>>>(logits, labels, rows, cols);
  mean<<<1, 1024>>>(loss, rows);
}
