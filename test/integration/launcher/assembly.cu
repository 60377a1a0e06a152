// op: relu  verdict: REVIEW PASS  tags: host_code_executed
// The launch plan does not follow inline assembly of the host; device memory, a stream of its own that is waited for.
#include <cuda_runtime.h>
#include <stdexcept>

__global__ void relu_kernel(const float *__restrict__ x, float *__restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] > 0.0f ? x[i] : 0.0f;
}

static int rounded(int n) {
  int r = n + 255;
  asm("sar $8, %0" : "+r"(r));
  if (r < 0)
    throw std::runtime_error("too large");
  return r;
}

void launch_relu(const float *x, float *y, int n) {
  if (n <= 0)
    return;
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  int blocks = rounded(n);
  relu_kernel<<<blocks, 256, 0, s>>>(x, y, n);
  cudaStreamSynchronize(s);
  cudaStreamDestroy(s);
}
