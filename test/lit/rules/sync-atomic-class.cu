// RUN: %kcheck_test --rules=sync,index-space %s
// REQUIRES: cuda
#include <cuda/atomic>
#include <cuda_runtime.h>

// Each step on an object of an atomic class is one.
__global__ void countOk(cuda::atomic<int> *count, const int *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int mine = i < n ? x[i] : 0;
  for (int d = 16; d; d /= 2)
    mine += __shfl_down_sync(~0u, mine, d);
  if (threadIdx.x % 32 == 0)
    (*count) += mine;
  if (threadIdx.x == 0)
    count->fetch_add(1);
}
__global__ void countBad(int *count, const int *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int mine = i < n ? x[i] : 0;
  for (int d = 16; d; d /= 2)
    mine += __shfl_down_sync(~0u, mine, d);
  if (threadIdx.x == 0)
    (*count) += mine; // expect: reject cross_block_dependency
}
void launchCount(cuda::atomic<int> *count, int *plain, const int *x, int n) {
  countOk<<<(n + 255) / 256, 256>>>(count, x, n);
  countBad<<<(n + 255) / 256, 256>>>(plain, x, n);
}
