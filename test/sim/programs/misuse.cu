// Each call is wrong in its own way, and the program goes on.
#include <cuda_runtime.h>
#include <cstdio>
#include <vector>

__global__ void fill(float *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n)
    p[i] = i; //~ out_of_bounds_global
}
__device__ float table[8];

int main() {
  float *a, *b, *lost;
  std::vector<float> h(300);
  cudaMalloc(&a, 256 * sizeof(float));
  cudaMalloc(&b, 256 * sizeof(float));
  cudaMalloc(&lost, 64); //~ leak
  fill<<<2, 256>>>(a, 256);
  fill<<<1, 2048>>>(a, 255); //~ launch_config unchecked_launch_error
  cudaMemcpy(a, h.data(), 300 * sizeof(float), cudaMemcpyHostToDevice); //~ memcpy_size
  cudaMemcpy(h.data(), a, 256 * sizeof(float), cudaMemcpyHostToDevice); //~ memcpy_direction
  cudaMemcpyToSymbol(table, h.data(), 9 * sizeof(float));               //~ memcpy_size
  cudaMemset(b, 0, 257 * sizeof(float));                                //~ memcpy_size
  cudaFree(b);
  cudaMemset(b, 0, 4); //~ use_after_free
  cudaFree(b);         //~ double_free
  cudaFree(a);
  printf("done\n");
  return 0;
}
