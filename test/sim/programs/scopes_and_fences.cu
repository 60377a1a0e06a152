// Atomics with scopes, cuda::atomic_ref, volatile, fences.
#include <cuda_runtime.h>
#include <cuda/atomic>
#include <cstdio>
__global__ void blockScopeBad(int *c) { atomicAdd_block(c, 1); } //~ race_blocks
__global__ void blockScopeOk(int *c) { atomicAdd_block(c + blockIdx.x, 1); }
__global__ void systemOk(int *c) { atomicAdd_system(c, 1); }
__global__ void refOk(int *c) { cuda::atomic_ref<int, cuda::thread_scope_device> r(*c); r.fetch_add(1, cuda::memory_order_relaxed); }
__global__ void refBlockBad(int *c) { cuda::atomic_ref<int, cuda::thread_scope_block> r(*c); r.fetch_add(1, cuda::memory_order_relaxed); } //~ race_blocks
__global__ void messageOk(int *data, int *flag, int *out) {
  cuda::atomic_ref<int, cuda::thread_scope_device> f(*flag);
  if (blockIdx.x == 0) {
    if (threadIdx.x == 0) { *data = 42; f.store(1, cuda::memory_order_release); }
  } else if (threadIdx.x == 0) {
    while (f.load(cuda::memory_order_acquire) == 0) {}
    *out = *data;
  }
}
__global__ void messageBad(int *data, int *flag, int *out) {
  cuda::atomic_ref<int, cuda::thread_scope_device> f(*flag);
  if (blockIdx.x == 0) {
    if (threadIdx.x == 0) { *data = 42; f.store(1, cuda::memory_order_relaxed); }
  } else if (threadIdx.x == 0) {
    while (f.load(cuda::memory_order_relaxed) == 0) {}
    *out = *data; //~ race_blocks
  }
}
__global__ void mixedBad(int *c, int *out) {
  atomicAdd(c, 1); //~ race_global
  out[threadIdx.x] = *c; //~? race_global
}
__global__ void mixedOk(int *c, int *out) {
  atomicAdd(c, 1);
  __syncthreads();
  out[threadIdx.x] = *c;
}
__device__ unsigned ticket;
__global__ void lastOk(const float *in, float *part, float *out) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    part[blockIdx.x] = in[blockIdx.x];
    __threadfence();
    last = atomicAdd(&ticket, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    __threadfence();
    float s = 0;
    for (int i = 0; i < gridDim.x; ++i) s += part[i];
    *out = s;
    ticket = 0;
  }
}
__global__ void lastBad(const float *in, float *part, float *out) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    part[blockIdx.x] = in[blockIdx.x] + 1;
    last = atomicAdd(&ticket, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    float s = 0;
    for (int i = 0; i < gridDim.x; ++i) s += part[i]; //~ race_blocks
    *out = s;
    ticket = 0;
  }
}
__global__ void volatileFlagOk(volatile int *flag, volatile int *data, int *out) {
  if (threadIdx.x == 0 && blockIdx.x == 0) { *data = 7; __threadfence(); *flag = 1; }
  if (threadIdx.x == 0 && blockIdx.x == 1) { while (!*flag) {} __threadfence(); *out = *data; }
}
__global__ void casFloatOk(float *m, const float *in) {
  int *a = (int *)m;
  int old = *a, seen;
  float v = in[threadIdx.x];
  do { seen = old; if (__int_as_float(seen) >= v) break; old = atomicCAS(a, seen, __float_as_int(v)); } while (old != seen);
}
__global__ void spinOk(int *lock, int *n) {
  if (threadIdx.x == 0) {
    while (atomicCAS(lock, 0, 1)) {}
    __threadfence();
    *n += 1;
    __threadfence();
    atomicExch(lock, 0);
  }
}
__global__ void spinBad(int *lock, int *n) {
  if (threadIdx.x == 0) {
    while (atomicCAS(lock, 0, 1)) {}
    *n += 1; //~ race_blocks
    lock[0] = 0; //~? race_blocks
  }
}
int main() {
  int *c, *d; float *f, *g;
  cudaMalloc(&c, 4096); cudaMalloc(&d, 4096); cudaMalloc(&f, 4096); cudaMalloc(&g, 4096);
  cudaMemset(c, 0, 4096); cudaMemset(d, 0, 4096); cudaMemset(f, 0, 4096); cudaMemset(g, 0, 4096);
  blockScopeBad<<<4, 32>>>(c);
  blockScopeOk<<<4, 32>>>(c + 8);
  systemOk<<<4, 32>>>(c + 16);
  refOk<<<4, 32>>>(c + 17);
  refBlockBad<<<4, 32>>>(c + 18);
  messageOk<<<2, 32>>>(c + 20, c + 21, c + 22);
  messageBad<<<2, 32>>>(c + 24, c + 25, c + 26);
  mixedBad<<<1, 64>>>(c + 30, d);
  mixedOk<<<1, 64>>>(c + 31, d);
  lastOk<<<8, 32>>>(f, f + 100, f + 200);
  lastBad<<<8, 32>>>(f, f + 300, f + 400);
  volatileFlagOk<<<2, 32>>>(c + 40, c + 41, c + 42);
  casFloatOk<<<1, 64>>>(g, f);
  spinOk<<<4, 32>>>(c + 50, c + 51);
  cudaDeviceSynchronize();
  int h[64];
  cudaMemcpy(h, c, 256, cudaMemcpyDeviceToHost);
  printf("n %d s %d m %d\n", h[51], h[16], h[22]);
  spinBad<<<4, 32>>>(c + 52, c + 53);
  cudaDeviceSynchronize();
  cudaFree(c); cudaFree(d); cudaFree(f); cudaFree(g);
}
// PRINTS: n 4 s 128 m 42
