// verdict: REVIEW scalar_access
// out = tanh(a) + b, one float a thread: right, and slower than it need be.
#include <cuda_runtime.h>

__global__ void tanh_add(const float *a, const float *b, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = tanhf(a[i]) + b[i];
}

void launch_tanh_add(const float *a, const float *b, float *out, int n) {
  tanh_add<<<(n + 255) / 256, 256>>>(a, b, out, n);
}
