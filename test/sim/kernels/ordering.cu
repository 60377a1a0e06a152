// Patterns ordered by fences and atomics: nothing may be reported.
#include <cuda_runtime.h>

__device__ unsigned done = 0;
// SIM: last_block grid=16 block=64 args=x:f32[1024]:in:one,p:f32[16]:out,o:f32[1]:out
// SIM-OUTPUT: o[0] = 1024
__global__ void last_block(const float *x, volatile float *partial, float *o) {
  __shared__ float s[64];
  __shared__ bool last;
  s[threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x];
  __syncthreads();
  for (int k = 32; k > 0; k >>= 1) {
    if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = s[0];
    __threadfence();
    last = atomicAdd(&done, 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (last) {
    float v = threadIdx.x < gridDim.x ? partial[threadIdx.x] : 0;
    s[threadIdx.x] = v;
    __syncthreads();
    if (threadIdx.x == 0) {
      float t = 0;
      for (int i = 0; i < 64; ++i) t += s[i];
      o[0] = t;
      done = 0;
    }
  }
}
__device__ int lock = 0;
// SIM-NEW
// SIM: spin_lock grid=8 block=32 args=c:i32[1]:inout:zero
// SIM-OUTPUT: c[0] = 8
__global__ void spin_lock(int *c) {
  if (threadIdx.x == 0) {
    while (atomicCAS(&lock, 0, 1) != 0) {}
    __threadfence();
    c[0] = c[0] + 1;
    __threadfence();
    atomicExch(&lock, 0);
  }
}
__device__ volatile int flag = 0;
// SIM-NEW
// SIM: hand_over grid=2 block=32 args=d:i32[1]:out,r:i32[1]:out
__global__ void hand_over(int *d, int *r) {
  if (threadIdx.x) return;
  if (blockIdx.x == 1) {
    d[0] = 42;
    __threadfence();
    flag = 1;
  } else {
    while (flag == 0) {}
    __threadfence();
    r[0] = d[0];
  }
}
__device__ unsigned ticket = 0;
// SIM-NEW
// SIM: unfenced grid=8 block=32 args=p:i32[8]:out,o:i32[1]:out
__global__ void unfenced(int *p, int *o) {
  if (threadIdx.x) return;
  p[blockIdx.x] = blockIdx.x;
  if (atomicAdd(&ticket, 1u) == gridDim.x - 1) {
    int t = 0;
    for (int i = 0; i < gridDim.x; ++i) t += p[i]; //~ race_blocks
    o[0] = t;
  }
}
// SIM-NEW
// SIM: cas_loop grid=4 block=64 args=x:f64[1]:inout:zero
__global__ void cas_loop(double *x) {
  unsigned long long *p = (unsigned long long *)x, old = *p, assumed;
  do {
    assumed = old;
    old = atomicCAS(p, assumed, __double_as_longlong(1.0 + __longlong_as_double(assumed)));
  } while (assumed != old);
}
