#include <cuda_runtime.h>

__global__ void eta(const float *p, const float *q, const float *s, float *t, int u, int v, int e) {
  int h = blockIdx.x * blockDim.x + threadIdx.x;
  int g = blockIdx.y * blockDim.y + threadIdx.y;
  if (g >= u || h >= v)
    return;
  float r = s[h];
  for (int j = 0; j < e; ++j)
    r += p[(size_t)g * e + j] * q[(size_t)j * v + h];
  t[(size_t)g * v + h] = fmaxf(r, 0.0f);
}

void go(const float *p, const float *q, const float *s, float *t, int u, int v, int e) {
  dim3 b(16, 16);
  dim3 c((v + 15) / 16, (u + 15) / 16);
  eta<<<c, b>>>(p, q, s, t, u, v, e);
}
