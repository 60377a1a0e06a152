// What host code gets wrong, each beside its right twin.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
struct Item { int key; float *values; };
__global__ void useOk(const Item *it, float *o) { o[threadIdx.x] = it->values[threadIdx.x]; }
__global__ void useBad(const Item *it, float *o) { o[threadIdx.x] = it->values[threadIdx.x]; } //~ out_of_bounds_global
__global__ void two(float *p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] = 2; }
__device__ float sym[32];
int main() {
  float *d, *o, hv[32] = {};
  cudaMalloc(&d, sizeof hv); cudaMalloc(&o, sizeof hv);
  cudaMemcpy(d, hv, sizeof hv, cudaMemcpyHostToDevice);
  Item it{1, d}, *dit;
  cudaMalloc(&dit, sizeof it);
  cudaMemcpy(dit, &it, sizeof it, cudaMemcpyHostToDevice);
  useOk<<<1, 32>>>(dit, o);
  cudaMemcpyFromSymbol(hv, sym, sizeof hv);
  cudaMemcpyFromSymbol(hv, sym, sizeof hv, 4); //~ memcpy_size
  float *part = d + 16;
  cudaMemcpy(hv, part, 16 * sizeof(float), cudaMemcpyDeviceToHost);
  cudaMemcpy(hv, part, 32 * sizeof(float), cudaMemcpyDeviceToHost); //~ memcpy_size
  cudaMemcpy(hv, d, sizeof hv, cudaMemcpyDefault);
  cudaMemcpy(d, hv, sizeof hv, cudaMemcpyDeviceToDevice); //~ memcpy_direction
  two<<<0, 32>>>(d, 0); //~ launch_config
  printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  two<<<1, dim3(32, 32, 2)>>>(d, 32); //~ launch_config
  printf("%s\n", cudaGetErrorName(cudaPeekAtLastError()));
  cudaGetLastError();
  two<<<1, 32, 100000>>>(d, 32); //~ launch_config
  printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  cudaFuncSetAttribute(two, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000);
  two<<<1, 32, 100000>>>(d, 32);
  printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  cudaFree(d + 1); //~ double_free
  it.values = hv;
  cudaMemcpy(dit, &it, sizeof it, cudaMemcpyHostToDevice);
  useBad<<<1, 32>>>(dit, o);
  cudaDeviceSynchronize();
  cudaFree(d); cudaFree(o); cudaFree(dit);
}
// PRINTS: cudaErrorInvalidConfiguration
// PRINTS: cudaErrorInvalidValue
// PRINTS: cudaSuccess
