// Baseline of dot: partial sums a block, combined in a fixed order.
#include "baseline.cuh"

constexpr int MostBlocks = 1024;
__device__ Acc partial[MostBlocks];

__global__ void partials(const T *__restrict__ a, const T *__restrict__ b, long long n) {
  long long step = (long long)gridDim.x * blockDim.x;
  Acc v = 0;
  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
    v += Acc(widen(a[i])) * Acc(widen(b[i]));
  v = blockReduce(v, Acc(0), Plus());
  if (threadIdx.x == 0)
    partial[blockIdx.x] = v;
}

__global__ void combine(T *out, int blocks, Acc scale) {
  Acc v = 0;
  for (int i = threadIdx.x; i < blocks; i += blockDim.x)
    v += partial[i];
  v = blockReduce(v, Acc(0), Plus());
  if (threadIdx.x == 0)
    *out = narrow(v * scale);
}

void launch_dot(const T *a, const T *b, T *out, int n) {
  int blocks = (n + 1023) / 1024;
  blocks = blocks < 1 ? 1 : blocks > MostBlocks ? MostBlocks : blocks;
  partials<<<blocks, 256>>>(a, b, n);
  combine<<<1, 256>>>(out, blocks, Acc(1));
}
