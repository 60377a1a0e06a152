// op: relu  verdict: REJECT REJECT  tags: host_code_executed uninitialised_read|not_all_written|wrong_result|cheat_skipped_tail
// As host_memory.cu, but the grid is rounded down: the tail is never computed.
#include <cuda_runtime.h>

__global__ void relu_kernel(const float *__restrict__ x, float *__restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] > 0.0f ? x[i] : 0.0f;
}

void launch_relu(const float *x, float *y, int n) {
  int blocks = n;
  asm("sar $8, %0" : "+r"(blocks));
  if (n <= 0)
    return;
  float *dx = nullptr, *dy = nullptr;
  cudaMalloc(&dx, n * sizeof(float));
  cudaMalloc(&dy, n * sizeof(float));
  cudaMemcpy(dx, x, n * sizeof(float), cudaMemcpyHostToDevice);
  relu_kernel<<<blocks > 0 ? blocks : 1, 256>>>(dx, dy, n);
  cudaMemcpy(y, dy, n * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(dx);
  cudaFree(dy);
}
