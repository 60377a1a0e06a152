// expect: REJECT barrier_moved|barrier_removed
// the barrier stands behind the load that needs it
//--- parent
#include <cuda_runtime.h>

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

__global__ void reverse(float *d, int n) {
  __shared__ float s[256];
  int t = threadIdx.x;
  if (t < n)
    s[t] = d[t];
  if (t < n)
    d[t] = s[n - 1 - t];
  __syncthreads();
}

void launch_reverse(float *d, int n) {
  reverse<<<1, 256>>>(d, n);
}
