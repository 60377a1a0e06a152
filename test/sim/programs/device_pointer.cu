// Host code reads device memory: a segmentation fault on a GPU machine, a finding with its line here.
// EXIT: 139
// STATE: failed
#include <cuda_runtime.h>
#include <cstdio>
__global__ void one(float *p) { p[threadIdx.x] = 1; }
int main() {
  float *p;
  cudaMalloc(&p, 32 * sizeof(float));
  one<<<1, 32>>>(p);
  cudaDeviceSynchronize();
  printf("%g\n", p[3]); //~ illegal_address
  cudaFree(p);
  return 0;
}
// leak is noted for what is left: //~? leak
