// op: relu  verdict: REJECT REJECT  tags: host_code_executed out_of_bounds_global
// All that is found in kernel mode is found here.
#include <cuda_runtime.h>

__global__ void relu_kernel(const float *__restrict__ x, float *__restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i] > 0.0f ? x[i] : 0.0f;
  (void)n;
}

void launch_relu(const float *x, float *y, int n) {
  if (n <= 0)
    return;
  int blocks = n + 255;
  asm("sar $8, %0" : "+r"(blocks));
  relu_kernel<<<blocks, 256>>>(x, y, n);
}
