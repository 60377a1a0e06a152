// What plain kernels use: no toolkit is needed for these.
// SIM: tanhAdd grid=4 block=256 args=a:f32[1000]:in,b:f32[1000]:in,out:f32[1000]:out,i32=1000
// SIM-OUTPUT: out[0] = 0.0
// SIM-OUTPUT: out[8] = 1.76159416
// SIM: count grid=2 block=64 args=total:i32[2]:inout:zero,last:f32[1]:inout:zero
// SIM-OUTPUT: total[0] = 128
// SIM-OUTPUT: total[1] = 127
// SIM: warpSum grid=1 block=64 args=x:f32[64]:in:one,sums:f32[2]:out
// SIM-OUTPUT: sums[1] = 32
// SIM: past grid=1 block=128 args=p:i32[100]:out
// SIM: racy grid=1 block=64 args=r:i32[64]:out
#include <cmath>
#include <cuda_runtime.h>

__global__ void tanhAdd(const float *a, const float *b, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = tanhf(a[i]) + b[i] * fmaxf(0.5f, 1.0f) - sqrtf(0.0f) * __expf(1.0f);
}

__global__ void count(int *total, float *last) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&total[0], 1);
  atomicMax(&total[1], i);
  atomicAdd(last, 0.5f);
}

__global__ void warpSum(const float *x, float *sums) {
  __shared__ float part[64];
  float v = x[threadIdx.x];
  for (int w = 16; w; w /= 2)
    v += __shfl_down_sync(0xffffffffu, v, w);
  part[threadIdx.x] = v;
  __syncthreads();
  if (threadIdx.x < 2)
    sums[threadIdx.x] = part[threadIdx.x * 32];
}

__global__ void past(int *p) {
  p[threadIdx.x] = int(threadIdx.x); //~ out_of_bounds_global
}

__global__ void racy(int *r) {
  __shared__ int s[65];
  s[threadIdx.x] = int(threadIdx.x); //~? race_shared
  r[threadIdx.x] = s[threadIdx.x ^ 1]; //~ race_shared //~? uninitialised_read
}
