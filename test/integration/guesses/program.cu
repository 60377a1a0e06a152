// WANT: out_of_bounds_global
// A program says itself at which sizes it runs.
#include <cuda_runtime.h>
__global__ void fill(float *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) p[i] = i;
}
int main() {
  float *p;
  cudaMalloc(&p, 1000 * sizeof(float));
  fill<<<4, 256>>>(p, 1000);
  cudaDeviceSynchronize();
  cudaFree(p);
}
