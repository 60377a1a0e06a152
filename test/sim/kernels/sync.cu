// Barriers, warp operations, loops that do not end.
#include <cuda_runtime.h>
#include <cassert>

// SIM: divergent grid=1 block=64 args=o:f32[64]:out
__global__ void divergent(float *o) {
  if (threadIdx.x < 32)
    __syncthreads(); //~? barrier_divergence
  else
    __syncthreads(); //~? barrier_divergence
  o[threadIdx.x] = 1;
}
// SIM-EXPECT: barrier_divergence
// SIM-NEW
// SIM: early_exit grid=2 block=64 args=o:f32[100]:out,i32=100
__global__ void early_exit(float *o, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  __syncthreads(); //~ barrier_divergence
  o[i] = 1;
}
// SIM-NEW
// SIM: whole_block grid=3 block=64 args=o:f32[128]:out,i32=128
__global__ void whole_block(float *o, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (blockIdx.x * blockDim.x >= n) return;
  __syncthreads();
  o[i] = 1;
}
// SIM-NEW
// SIM: absent grid=1 block=32 args=a:f32[20]:in,o:f32[1]:out,i32=20
__global__ void absent(const float *a, float *o, int n) {
  int t = threadIdx.x;
  if (t >= n) return;
  float v = a[t];
  for (int k = 16; k > 0; k >>= 1) v += __shfl_down_sync(0xffffffffu, v, k); //~ warp_lane_absent
  if (t == 0) o[0] = v;
}
// SIM-NEW
// SIM: present grid=1 block=32 args=a:f32[20]:in,o:f32[1]:out,i32=20
// SIM-OUTPUT: o[0] = 23.75
__global__ void present(const float *a, float *o, int n) {
  int t = threadIdx.x;
  float v = t < n ? a[t] : 0;
  for (int k = 16; k > 0; k >>= 1) v += __shfl_down_sync(0xffffffffu, v, k);
  if (t == 0) o[0] = v;
}
// SIM-NEW
// SIM: half_warp_waits grid=1 block=64 args=o:i32[64]:out
__global__ void half_warp_waits(int *o) {
  int v = threadIdx.x;
  if ((threadIdx.x & 31) < 16)
    v = __shfl_xor_sync(0xffffffffu, v, 1); //~ warp_lane_absent
  __syncthreads();
  o[threadIdx.x] = v;
}
// SIM-NEW
// SIM: endless grid=1 block=32 args=a:i32[32]:in,o:i32[32]:out
__global__ void endless(const int *a, int *o) {
  int v = a[threadIdx.x];
  while (v >= 0) v = (v + 1) & 1023; //~ timeout
  o[threadIdx.x] = v;
}
// SIM-NEW
// SIM: never_set grid=1 block=32 args=f:i32[1]:in:zero,o:i32[32]:out
__global__ void never_set(volatile int *f, int *o) {
  while (f[0] == 0) {} //~ timeout
  o[threadIdx.x] = 1;
}
// SIM-NEW
// SIM: asserts grid=1 block=32 args=a:i32[32]:in
__global__ void asserts(const int *a) { assert(a[threadIdx.x] < 31); } //~ device_assert
__device__ int deep(int n, const int *a) { return a[n & 31] + deep(n + 1, a) * 3; } //~? stack_overflow
// SIM-EXPECT: stack_overflow
// SIM-NEW
// SIM: recursion grid=1 block=1 args=a:i32[32]:in,o:i32[1]:out
__global__ void recursion(const int *a, int *o) { o[0] = deep(0, a); }
// SIM-NEW
// SIM: votes grid=1 block=64 args=o:i32[64]:out
// SIM-OUTPUT: o[5] = 32
__global__ void votes(int *o) {
  unsigned b = __ballot_sync(0xffffffffu, threadIdx.x & 1);
  int c = __syncthreads_count(threadIdx.x < 16);
  unsigned m = __activemask();
  o[threadIdx.x] = __popc(b) + c * (m == 0xffffffffu);
}
