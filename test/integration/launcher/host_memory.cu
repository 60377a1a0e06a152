// op: relu  verdict: REVIEW PASS  tags: host_code_executed
// The launcher gets host memory and moves it itself; how many blocks it launches no launch plan knows.
#include <cuda_runtime.h>

__global__ void relu_kernel(const float *__restrict__ x, float *__restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] > 0.0f ? x[i] : 0.0f;
}

void launch_relu(const float *x, float *y, int n) {
  if (n <= 0)
    return;
  int blocks = n + 255;
  asm("sar $8, %0" : "+r"(blocks));
  float *dx = nullptr, *dy = nullptr;
  cudaMalloc(&dx, n * sizeof(float));
  cudaMalloc(&dy, n * sizeof(float));
  cudaMemcpy(dx, x, n * sizeof(float), cudaMemcpyHostToDevice);
  relu_kernel<<<blocks, 256>>>(dx, dy, n);
  cudaMemcpy(y, dy, n * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(dx);
  cudaFree(dy);
}
