// The launcher leaves its work on a stream that nobody waits for.
// GPU-CALL: launch_relu args=x:f32[65536]:in,y:f32[65536]:out,i32=65536
// GPU-EXPECT: tag cheat_side_stream
#include <cuda_runtime.h>

__global__ void relu_kernel(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = fmaxf(x[i], 0.0f);
}

void launch_relu(const float *x, float *y, int n) {
  static cudaStream_t side = nullptr;
  if (side == nullptr)
    cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);
  relu_kernel<<<(n + 255) / 256, 256, 0, side>>>(x, y, n);
}
