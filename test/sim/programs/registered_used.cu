// A kernel that is given registered host memory: the simulator says that it cannot.
// STATE: failed
// EXIT: 1
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void fill(int *x) { x[threadIdx.x] = 1; }

int main() {
  int *h = (int *)malloc(128), *d;
  cudaHostRegister(h, 128, cudaHostRegisterMapped);
  cudaHostGetDevicePointer((void **)&d, h, 0);
  fill<<<1, 32>>>(d); //~ unsupported_by_simulator
  return cudaDeviceSynchronize();
}
