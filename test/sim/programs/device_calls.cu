// printf, assert, malloc and free of device code.
#include <cuda_runtime.h>
#include <cassert>
#include <cstdio>
__global__ void sayOk(int n) { if (threadIdx.x == 0) printf("device says %d %s %.2f\n", n, "words", 1.5); }
__global__ void heapOk(int *o) {
  int *p = (int *)malloc(4 * sizeof(int));
  if (!p) return;
  for (int i = 0; i < 4; ++i) p[i] = i + threadIdx.x;
  o[threadIdx.x] = p[3];
  free(p);
}
__global__ void heapPastBad(int *o) {
  int *p = (int *)malloc(4 * sizeof(int));
  for (int i = 0; i <= 4; ++i) p[i] = i; //~ out_of_bounds_global
  o[threadIdx.x] = p[3];
  free(p);
}
__global__ void heapFreedBad(int *o) {
  int *p = (int *)malloc(4 * sizeof(int));
  p[0] = 1;
  free(p);
  o[threadIdx.x] = p[0]; //~ use_after_free
}
__global__ void heapUninitBad(int *o) {
  int *p = new int[4];
  p[0] = 1;
  o[threadIdx.x] = p[1]; //~ uninitialised_read
  delete[] p;
}
__global__ void newOk(int *o) {
  struct P { int a, b; };
  P *p = new P{1, 2};
  o[threadIdx.x] = p->a + p->b;
  delete p;
}
__global__ void twiceBad(int *o) {
  int *p = (int *)malloc(16);
  p[0] = 1;
  o[threadIdx.x] = p[0];
  free(p);
  free(p); //~ double_free
}
__global__ void assertOk(const int *o, int n) { assert(o[threadIdx.x] < n); }
__global__ void assertBad(const int *o, int n) { assert(o[threadIdx.x] > n); } //~ device_assert
int main() {
  int *o;
  cudaMalloc(&o, 256); // the context is lost before it could be freed
  sayOk<<<1, 32>>>(7);
  heapOk<<<1, 64>>>(o);
  heapPastBad<<<1, 64>>>(o);
  heapFreedBad<<<1, 64>>>(o);
  heapUninitBad<<<1, 64>>>(o);
  newOk<<<1, 64>>>(o);
  cudaDeviceSynchronize();
  assertOk<<<1, 64>>>(o, 100);
  twiceBad<<<1, 1>>>(o);
  cudaDeviceSynchronize();
  assertBad<<<1, 64>>>(o, 100);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
// PRINTS: device says 7 words 1.50
// PRINTS: cudaErrorAssert
