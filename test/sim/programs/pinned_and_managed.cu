// Pinned, mapped and managed memory.
#include <cuda_runtime.h>
#include <cstdio>
__managed__ int counter;
__managed__ int table[8];
__global__ void count(int n) { if (threadIdx.x < n) atomicAdd(&counter, 1); }
__global__ void lose() { counter = counter + 1; } //~ race_global
__global__ void past(int n) { table[threadIdx.x + n] = 1; } //~ out_of_bounds_global
__global__ void fill(int *p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] = i; }
__global__ void fillBad(int *p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i <= n) p[i] = i; } //~ out_of_bounds_global
__global__ void gone(int *p) { p[threadIdx.x] = 1; } //~ use_after_free
int main() {
  count<<<1, 64>>>(40);
  cudaDeviceSynchronize();
  printf("count %d\n", counter);
  lose<<<1, 64>>>();
  cudaDeviceSynchronize();
  past<<<1, 8>>>(0 + 1);
  cudaDeviceSynchronize();
  int *h, *d;
  cudaHostAlloc(&h, 100 * sizeof(int), cudaHostAllocMapped);
  cudaHostGetDevicePointer(&d, h, 0);
  fill<<<1, 128>>>(d, 100);
  cudaDeviceSynchronize();
  printf("last %d\n", h[99]);
  fillBad<<<1, 128>>>(d, 100);
  cudaDeviceSynchronize();
  int *m;
  cudaMallocManaged(&m, 100 * sizeof(int));
  fill<<<1, 128>>>(m, 100);
  cudaDeviceSynchronize();
  printf("managed %d\n", m[42]);
  cudaFree(m);
  gone<<<1, 32>>>(m);
  cudaDeviceSynchronize();
  cudaFreeHost(h);
}
// PRINTS: count 40
// PRINTS: last 99
// PRINTS: managed 42
