// The process ends itself with the status of success, before there is anything to compare.
// GPU-CALL: launch_relu args=x:f32[65536]:in,y:f32[65536]:out,i32=65536
// GPU-EXPECT: failure crash
// GPU-EXPECT: tag crash
#include <cstdio>
#include <cuda_runtime.h>
#include <unistd.h>

__global__ void relu_kernel(const float *__restrict__ x, float *__restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] > 0.0f ? x[i] : 0.0f;
}

void launch_relu(const float *x, float *y, int n) {
  if (n < 0)
    relu_kernel<<<1, 256>>>(x, y, n);
  puts("all right");
  fflush(stdout);
  _exit(0);
}
