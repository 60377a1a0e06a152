// Races and what only looks like one.
#include <cuda_runtime.h>

// SIM: neighbour grid=1 block=64 args=o:f32[64]:out
__global__ void neighbour(float *o) {
  __shared__ float s[64];
  s[threadIdx.x] = threadIdx.x;
  o[threadIdx.x] = s[threadIdx.x ^ 33]; //~? uninitialised_read race_shared
}
// SIM-EXPECT: race_shared
// SIM-NEW
// SIM: reuse grid=1 block=64 args=o:f32[64]:out
__global__ void reuse(float *o) {
  __shared__ float s[64];
  float v = 0;
  for (int i = 0; i < 3; ++i) {
    s[threadIdx.x] = threadIdx.x + i; //~ race_shared
    __syncthreads();
    v += s[63 - threadIdx.x];
  }
  o[threadIdx.x] = v;
}
// SIM-NEW
// SIM: fixed grid=1 block=64 args=o:f32[64]:out
__global__ void fixed(float *o) {
  __shared__ float s[64];
  float v = 0;
  for (int i = 0; i < 3; ++i) {
    s[threadIdx.x] = threadIdx.x + i;
    __syncthreads();
    v += s[63 - threadIdx.x];
    __syncthreads();
  }
  o[threadIdx.x] = v;
}
// SIM-NEW
// SIM: global_block grid=1 block=64 args=x:f32[64]:inout
__global__ void global_block(float *x) {
  x[threadIdx.x] = x[(threadIdx.x + 1) % 64]; //~ race_global
}
// SIM-NEW
// SIM: between_blocks grid=4 block=32 args=x:i32[1]:inout:zero
__global__ void between_blocks(int *x) {
  if (threadIdx.x == 0) x[0] += blockIdx.x + 1; //~ race_blocks
}
// SIM-NEW
// SIM: atomics grid=4 block=32 args=x:i32[1]:inout:zero
// SIM-OUTPUT: x[0] = 0
__global__ void atomics(int *x) {
  atomicAdd(x, 1);
  atomicSub(x, 1);
}
// SIM-NEW
// SIM: same_flag grid=4 block=32 args=x:i32[1]:inout:zero
__global__ void same_flag(int *x) { x[0] = 1; }
// SIM-NEW
// SIM: streams grid=1 block=32 stream=1 args=x:f32[32]:inout
// SIM: streams grid=1 block=32 stream=2 args=x
__global__ void streams(float *x) { x[threadIdx.x] += 1; } //~ race_launches
// SIM-NEW
// SIM: streams grid=1 block=32 stream=1 args=x:f32[32]:inout
// SIM: sync
// SIM: streams grid=1 block=32 stream=2 args=x

// SIM-NEW
// SIM: warp_sum grid=2 block=64 args=a:f32[128]:in,o:f32[2]:out
__global__ void warp_sum(const float *a, float *o) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = a[blockIdx.x * 64 + t];
  __syncthreads();
  if (t < 32) {
    s[t] += s[t + 32];
    __syncwarp();
    for (int k = 16; k > 0; k >>= 1) {
      if (t < k) s[t] += s[t + k];
      __syncwarp();
    }
    if (t == 0) o[blockIdx.x] = s[0];
  }
}
// SIM-NEW
// SIM: warp_race grid=1 block=32 args=a:f32[32]:in,o:f32[1]:out
__global__ void warp_race(const float *a, float *o) {
  __shared__ float s[32];
  int t = threadIdx.x;
  s[t] = a[t];
  __syncwarp();
  for (int k = 16; k > 0; k >>= 1)
    if (t < k) s[t] += s[t + k]; //~ race_shared
  if (t == 0) o[0] = s[0];
}
