// expect: PASS
// the barrier of a thread block group is the same barrier
//--- parent
#include <cuda_runtime.h>
#include <cooperative_groups.h>

__global__ void reverse(float *d, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  if (t < n)
    s[t] = d[t];
  __syncthreads();
  if (t < n)
    d[t] = s[n - 1 - t];
}

void launch_reverse(float *d, int n) {
  reverse<<<1, 256>>>(d, n);
}

//--- candidate
#include <cuda_runtime.h>
#include <cooperative_groups.h>

__global__ void reverse(float *d, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  if (t < n)
    s[t] = d[t];
  cooperative_groups::this_thread_block().sync();
  if (t < n)
    d[t] = s[n - 1 - t];
}

void launch_reverse(float *d, int n) {
  reverse<<<1, 256>>>(d, n);
}
