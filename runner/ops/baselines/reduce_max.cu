// Baseline of reduce_max: one partial result a block, combined in a fixed order by a second launch, so that runs agree bit for bit.
#include "baseline.cuh"
#include <math.h>

constexpr int MostBlocks = 1024;
__device__ Acc partial[MostBlocks];

__global__ void partials(const T *__restrict__ x, long long n, Acc none) {
  long long step = (long long)gridDim.x * blockDim.x, first = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  Acc v = none;
  for (long long i = first; i < n; i += step)
    v = Larger()(v, Acc(widen(x[i])));
  v = blockReduce(v, none, Larger());
  if (threadIdx.x == 0)
    partial[blockIdx.x] = v;
}

__global__ void combine(T *y, int blocks, Acc none, Acc scale) {
  Acc v = none;
  for (int i = threadIdx.x; i < blocks; i += blockDim.x)
    v = Larger()(v, partial[i]);
  v = blockReduce(v, none, Larger());
  if (threadIdx.x == 0)
    *y = narrow(v * scale);
}

void launch_reduce_max(const T *x, T *y, int n) {
  int blocks = (n + 1023) / 1024;
  blocks = blocks < 1 ? 1 : blocks > MostBlocks ? MostBlocks : blocks;
  partials<<<blocks, 256>>>(x, n, Acc(-INFINITY));
  combine<<<1, 256>>>(y, blocks, Acc(-INFINITY), Acc(1));
}
