// Baseline of reduce_mean: one partial result a block, combined in a fixed order by a second launch, so that runs agree bit for bit.
#include "baseline.cuh"
#include <math.h>

constexpr int MostBlocks = 1024;
__device__ Acc partial[MostBlocks];

__global__ void partials(const T *__restrict__ x, long long n, Acc none) {
  long long step = (long long)gridDim.x * blockDim.x, first = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  Acc v = none;
  for (long long i = first; i < n; i += step)
    v = Plus()(v, Acc(widen(x[i])));
  v = blockReduce(v, none, Plus());
  if (threadIdx.x == 0)
    partial[blockIdx.x] = v;
}

__global__ void combine(T *y, int blocks, Acc none, Acc scale) {
  Acc v = none;
  for (int i = threadIdx.x; i < blocks; i += blockDim.x)
    v = Plus()(v, partial[i]);
  v = blockReduce(v, none, Plus());
  if (threadIdx.x == 0)
    *y = narrow(v * scale);
}

void launch_reduce_mean(const T *x, T *y, int n) {
  int blocks = (n + 1023) / 1024;
  blocks = blocks < 1 ? 1 : blocks > MostBlocks ? MostBlocks : blocks;
  partials<<<blocks, 256>>>(x, n, Acc(0));
  combine<<<1, 256>>>(y, blocks, Acc(0), Acc(1.0 / (n > 0 ? n : 1)));
}
