// RUN: %kcheck_test --rules global-effect %s
#include <cuda_fp16.h>

// The headers' number classes are assigned from floats by operators of their own.
__global__ void toHalfOk(__half *out, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = 2.0f * in[i];
}
__global__ void addHalfOk(__half *sum, const __half *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    sum[i] += in[i];
}
void launchHalves(__half *out, const float *in, const __half *h, int n) {
  toHalfOk<<<(n + 255) / 256, 256>>>(out, in, n);
  addHalfOk<<<(n + 255) / 256, 256>>>(out, h, n);
}
