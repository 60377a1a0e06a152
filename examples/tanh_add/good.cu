// verdict: PASS
// Four floats a thread, the tail one by one.
#include <cuda_runtime.h>

__global__ void tanh_add_vec4(const float *__restrict__ a, const float *__restrict__ b, float *__restrict__ out, int n) {
  int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i + 3 < n) {
    float4 x = *reinterpret_cast<const float4 *>(a + i);
    float4 y = *reinterpret_cast<const float4 *>(b + i);
    float4 r = make_float4(tanhf(x.x) + y.x, tanhf(x.y) + y.y, tanhf(x.z) + y.z, tanhf(x.w) + y.w);
    *reinterpret_cast<float4 *>(out + i) = r;
  } else {
    for (int j = i; j < n; ++j)
      out[j] = tanhf(a[j]) + b[j];
  }
}

void launch_tanh_add(const float *a, const float *b, float *out, int n) {
  int threads = 256;
  int blocks = (n + 4 * threads - 1) / (4 * threads);
  tanh_add_vec4<<<blocks, threads>>>(a, b, out, n);
}
