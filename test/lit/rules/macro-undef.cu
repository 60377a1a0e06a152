// RUN: %kcheck_test --rules macro --hosts kcheck %s
// A name that is gone when the launch needs it. Its own file: nothing of it compiles.
#include <cuda_runtime.h>

#define WARPS 8
__global__ void scan(const int *x, int *y, int n) {
  int i = blockIdx.x * WARPS * 32 + threadIdx.x;
  if (i < n)
    y[i] = x[i];
}
#undef WARPS
void launchScan(const int *x, int *y, int n) {
  scan<<<(n + WARPS * 32 - 1) / (WARPS * 32), 256>>>(x, y, n); // expect: reject macro_undef_reuse
}
