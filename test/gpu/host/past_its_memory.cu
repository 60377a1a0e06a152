// Memory that the launcher allocates has red zones like the job's own.
// GPU-CALL: launch_relu args=x:f32[4096]:in,y:f32[4096]:out,i32=4096
// GPU-EXPECT: tag out_of_bounds_global
#include <cuda_runtime.h>

__global__ void relu_kernel(const float *x, float *copy, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  copy[i + 1] = x[i];
  if (i < n)
    y[i] = fmaxf(x[i], 0.0f);
}

void launch_relu(const float *x, float *y, int n) {
  float *copy = nullptr;
  cudaMalloc(&copy, n * sizeof(float));
  relu_kernel<<<n / 256, 256>>>(x, copy, y, n);
  cudaFree(copy);
}
