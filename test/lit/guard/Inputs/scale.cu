#include <cuda_runtime.h>

// kcheck: protect begin
__device__ float third() { return 1.0f / 3; }
// kcheck: protect end

__global__ void scale(const float *a, float *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    b[i] = third() * a[i];
}

__global__ void reverse(float *d) {
  __shared__ float s[64];
  s[threadIdx.x] = d[threadIdx.x];
  __syncthreads();
  d[threadIdx.x] = s[63 - threadIdx.x];
}

__global__ void total(const float *x, float *out, int n) {
  float sum = 0;
  for (int k = 0; k < n; ++k)
    sum += x[k];
  out[threadIdx.x] = sum;
}

void launch_scale(const float *a, float *b, int n) { scale<<<(n + 255) / 256, 256>>>(a, b, n); }
void launch_reverse(float *d) { reverse<<<1, 64>>>(d); }
