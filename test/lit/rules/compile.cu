// RUN: %kcheck_test --rules compile --hosts kcheck %s
// REQUIRES: cuda
#include <cuda_runtime.h>

__global void attributeBad(float *x, int n) { // expect: misspelt_attribute
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __syncthreads();
  if (i < n)
    x[i] = 1.0f;
}

_device_ float helperBad(float a) { return a; } // expect: misspelt_attribute

__global__ __launch_bound__(256) void boundsBad(float *x) { // expect: misspelt_attribute
  x[threadIdx.x] = helperBad(1.0f);
}

__global__ void aliasOk(float *__restrict x, const float *__restrict__ y) { x[threadIdx.x] = y[threadIdx.x]; }

__global__ void pointerBad(float *x, const float *_restrict_ y) { // expect: misspelt_attribute
  x[threadIdx.x] = y[threadIdx.x];
}

__global__ void sharedWordBad(float *x) {
  __shared float a[32];    // expect: misspelt_attribute
  a[threadIdx.x] = x[threadIdx.x];
  x[threadIdx.x] = a[31 - threadIdx.x];
}

__global__ void transposedBad(float *x) {
  __shraed__ float b[32];  // expect: misspelt_attribute
  b[threadIdx.x] = x[threadIdx.x];
}

__global__ void intrinsicsBad(float *x, unsigned seed) {
  const float u = __float_rand_uniform(seed); // expect: undeclared_api
  float s = __shfl_down_synk(0xffffffffu, u, 1); // expect: undeclared_api
  __sync_threads();                           // expect: undeclared_api
  atomicadd(x, s);                            // expect: undeclared_api
}

__global__ void localNameBad(float *x, int count) {
  if (threadIdx.x < cuont) // expect: undeclared_api
    x[threadIdx.x] = 0.0f;
}

__global__ void noExternBad(float *x) {
  __shared__ float line[]; // expect: missing_extern_shared
  line[threadIdx.x] = x[threadIdx.x];
}

__global__ void runtimeSizeBad(float *x, int n) {
  __shared__ float row[n]; // expect: missing_extern_shared
  row[threadIdx.x] = x[threadIdx.x];
}

__global__ void externOk(float *x) {
  extern __shared__ float dyn[];
  dyn[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = dyn[blockDim.x - 1 - threadIdx.x];
}

struct Scratch {
  float part[8];
};
__global__ void externStructOk(float *x) {
  extern __shared__ Scratch scratch; // nvcc takes it, Clang does not
  scratch.part[threadIdx.x % 8] = x[threadIdx.x];
  __syncwarp();
  x[threadIdx.x] = scratch.part[threadIdx.x % 8];
}

__global__ void typesBad(float *x, const float2 *v) {
  int k = x;                     // expect: type_mismatch
  x[0] = v[threadIdx.x] * 2.0f;  // expect: type_mismatch
  x.y = 3;                       // expect: type_mismatch
}

__global__ void halvesBad(const half *h, float *x) { // expect: missing_include
  half2 two = ((const half2 *)h)[threadIdx.x];
  x[threadIdx.x] = __half2float(two.x);
}

__global__ void limitBad(float *x) {
  float m = -FLT_MAX; // expect: missing_include
  x[threadIdx.x] = fmaxf(m, x[threadIdx.x]);
}

__managed__ int g_kept;
__global__ void managedOk(const float *x) {
  if (x[threadIdx.x] > 0.0f)
    atomicAdd(&g_kept, 1);
}

void hostBad(float *x, int n) {
  cudaMemCpy(x, x, n, cudaMemcpyHostToDevice); // expect: undeclared_api
  cudaThreadSynchronize();                     // expect: removed_api
  cudaDeviceProp p;
  cudaGetDeviceProperties(&p, 0);
  int khz = p.memoryClockRate;                 // expect: removed_api
  attributeBad<<<(n + 255) / 256, 256>>>(x, n);
  boundsBad<<<1, 256>>>(x);
}

int hostMinOk(int a, int b) { return min(a, b); }

__global__ void semicolonBad(float *x) {
  int i = threadIdx.x // expect: syntax_error
  x[i] = 1.0f;
}

texture<float, 2, cudaReadModeElementType> tex; // expect: removed_api
