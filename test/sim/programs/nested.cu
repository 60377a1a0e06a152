// Launches from device code are not run; it is no compile error of the program's.
// STATE: failed
// EXIT: 0
#include <cuda_runtime.h>

__global__ void child(int *x) { *x = 1; }
__global__ void parent(int *x) { child<<<1, 1>>>(x); } //~ unsupported_by_simulator

int main() {
  int *d;
  cudaMalloc(&d, 4);
  parent<<<1, 1>>>(d);
  return cudaDeviceSynchronize();
}
