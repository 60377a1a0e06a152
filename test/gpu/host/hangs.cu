// Host code that never returns.
// GPU-CALL: launch_relu args=x:f32[4096]:in,y:f32[4096]:out,i32=4096
// GPU-LIMIT: seconds=1
// GPU-EXPECT: failure timeout
#include <cuda_runtime.h>

__global__ void relu_kernel(const float *x, float *y, int n) { y[threadIdx.x % n] = x[threadIdx.x % n]; }

void launch_relu(const float *x, float *y, int n) {
  relu_kernel<<<1, 256>>>(x, y, n);
  for (volatile int i = 0;; ++i) {
  }
}
