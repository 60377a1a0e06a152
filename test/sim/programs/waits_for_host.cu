// A kernel that waits for what the host stores after the launch: the simulator runs one after the other and says so.
// STATE: failed
// EXIT: 1
#include <cuda_runtime.h>

__global__ void wait(volatile unsigned *latch) {
  while (latch[0] < 1)
    ;
}

int main() {
  unsigned *latch;
  cudaMallocHost(&latch, sizeof(unsigned)); //~? leak
  *latch = 0;
  wait<<<1, 1>>>(latch);
  *latch = 1;
  cudaDeviceSynchronize();
  cudaFreeHost(latch);
}
