// Blocks and warps that share data, early returns, named roles, barriers in loops.
#include <cuda_runtime.h>
__global__ void haloBad(const float *in, float *io, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n - 1)
    io[i] = io[i - 1] + in[i] + 1; //~ race_blocks race_global
}
__global__ void haloOk(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n - 1) out[i] = in[i - 1] + in[i];
}
__global__ void histBad(const int *in, int *h, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) h[in[i] & 7]++; //~ race_global race_blocks
}
__global__ void histOk(const int *in, int *h, int n) {
  __shared__ int s[8];
  if (threadIdx.x < 8) s[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&s[in[i] & 7], 1);
  __syncthreads();
  if (threadIdx.x < 8) atomicAdd(&h[threadIdx.x], s[threadIdx.x]);
}
__global__ void loopBarrierBad(const int *len, int *o) {
  __shared__ int s[64];
  s[threadIdx.x] = 0;
  for (int i = 0; i < len[threadIdx.x]; ++i) {
    s[threadIdx.x] += i;
    __syncthreads(); //~ barrier_divergence
  }
  o[threadIdx.x] = s[threadIdx.x];
}
__global__ void loopBarrierOk(const int *len, int *o) {
  __shared__ int s[64];
  s[threadIdx.x] = 0;
  int more = 1;
  for (int i = 0; more; ++i) {
    if (i < len[threadIdx.x]) s[threadIdx.x] += i;
    more = __syncthreads_or(i + 1 < len[threadIdx.x]);
  }
  o[threadIdx.x] = s[63 - threadIdx.x];
}
__global__ void rolesOk(const float *in, float *out) {
  __shared__ float s[32];
  if (threadIdx.x < 32) {
    s[threadIdx.x] = in[threadIdx.x];
    asm volatile("bar.arrive 1, 64;" ::: "memory");
  } else {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    out[threadIdx.x - 32] = s[63 - threadIdx.x];
  }
}
__global__ void rolesBad(const float *in, float *out) {
  __shared__ float s[32];
  if (threadIdx.x < 32) {
    asm volatile("bar.arrive 1, 64;" ::: "memory");
    s[threadIdx.x] = in[threadIdx.x]; //~? race_shared
  } else {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    out[threadIdx.x - 32] = s[63 - threadIdx.x]; //~? race_shared uninitialised_read
  }
}
__global__ void transposeBad(const float *in, float *out, int n) {
  __shared__ float t[16][16];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x < n && y < n) t[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
  x = blockIdx.y * 16 + threadIdx.x; y = blockIdx.x * 16 + threadIdx.y;
  out[y * n + x] = t[threadIdx.x][threadIdx.y]; //~ out_of_bounds_global uninitialised_read
}
__global__ void transposeOk(const float *in, float *out, int n) {
  __shared__ float t[16][17];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x < n && y < n) t[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
  x = blockIdx.y * 16 + threadIdx.x; y = blockIdx.x * 16 + threadIdx.y;
  if (x < n && y < n) out[y * n + x] = t[threadIdx.x][threadIdx.y];
}
__global__ void wrapBad(float *o, unsigned n) {
  for (unsigned i = n - 1; i >= 0; --i) { o[i] = i; if (i > n) break; } //~ out_of_bounds_global
}
__global__ void endlessBad(volatile int *o) { while (o[0] == 0) { o[1] = 1; } } //~ timeout
int main() {
  float *a, *b; int *c, *d, h[256];
  cudaMalloc(&a, 4096); cudaMalloc(&b, 4096); cudaMalloc(&c, 1024); cudaMalloc(&d, 1024);
  cudaMemset(a, 0, 4096); cudaMemset(b, 0, 4096); cudaMemset(d, 0, 1024);
  for (int i = 0; i < 256; ++i) h[i] = i % 5;
  cudaMemcpy(c, h, 1024, cudaMemcpyHostToDevice);
  haloBad<<<4, 64>>>(a, b, 256);
  haloOk<<<4, 64>>>(a, b, 256);
  histBad<<<4, 64>>>(c, d, 256);
  histOk<<<4, 64>>>(c, d, 256);
  loopBarrierOk<<<1, 64>>>(c, d);
  rolesOk<<<1, 64>>>(a, b);
  rolesBad<<<1, 64>>>(a, b);
  transposeBad<<<dim3(2, 2), dim3(16, 16)>>>(a, b + 500, 20);
  transposeOk<<<dim3(2, 2), dim3(16, 16)>>>(a, b, 20);
  wrapBad<<<1, 1>>>(b, 8);
  cudaDeviceSynchronize();
  loopBarrierBad<<<1, 64>>>(c, d);
  cudaDeviceSynchronize();
  cudaMemset(d, 0, 1024);
  endlessBad<<<1, 1>>>(d);
  cudaDeviceSynchronize();
  cudaFree(a); cudaFree(b); cudaFree(c); cudaFree(d);
}
