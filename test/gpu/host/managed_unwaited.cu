// GPU-CALL: launch_relu args=x:f32[65536]:in,y:f32[65536]:out,i32=65536
// GPU-REFERENCE: relu n=65536 x=x y=y
// GPU-EXPECT: tag use_after_free_stream
// The host looks into managed memory while a kernel may still work there.
#include <cuda_runtime.h>

__global__ void relu_kernel(const float *__restrict__ x, float *__restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] > 0.0f ? x[i] : 0.0f;
}

void launch_relu(const float *x, float *y, int n) {
  if (n <= 0)
    return;
  float *in = nullptr, *out = nullptr;
  cudaMallocManaged(&in, n * sizeof(float));
  cudaMallocManaged(&out, n * sizeof(float));
  cudaMemcpy(in, x, n * sizeof(float), cudaMemcpyDefault);
  cudaMemset(out, 0, n * sizeof(float));
  cudaDeviceSynchronize();
  in[n - 1] *= 0.25f;
  relu_kernel<<<(n + 255) / 256, 256>>>(in, out, n);
  out[n - 1] *= 4.0f;
  cudaMemcpy(y, out, n * sizeof(float), cudaMemcpyDefault);
  cudaFree(in);
  cudaFree(out);
}
