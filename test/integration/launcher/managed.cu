// op: relu  verdict: REVIEW PASS  tags: host_code_executed
// Managed memory goes to and fro: the host changes an element before the kernel works in it, and one afterwards.
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
  cudaDeviceSynchronize();
  out[n - 1] *= 4.0f;
  cudaMemcpy(y, out, n * sizeof(float), cudaMemcpyDefault);
  cudaFree(in);
  cudaFree(out);
}
