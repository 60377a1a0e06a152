// expect: REJECT fence_removed
// no fence at all
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
  atomicExch(flag, 1);
}
