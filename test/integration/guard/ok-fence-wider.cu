// expect: PASS
// a fence of the system reaches further
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
  __threadfence_system();
  atomicExch(flag, 1);
}
