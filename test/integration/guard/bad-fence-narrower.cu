// expect: REJECT fence_removed
// a fence of the block does not reach the device
//--- parent
#include <cuda_runtime.h>

__global__ void publish(float *data, int *flag, float v) {
  data[0] = v;
  __threadfence();
  atomicExch(flag, 1);
}

//--- candidate
#include <cuda_runtime.h>

__global__ void publish(float *data, int *flag, float v) {
  data[0] = v;
  __threadfence_block();
  atomicExch(flag, 1);
}
