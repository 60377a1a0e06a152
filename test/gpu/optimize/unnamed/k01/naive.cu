#include <cuda_runtime.h>

__global__ void zeta(const float *p, const float *q, const float *s, float *t, int u, int v, int e) {
  int g = blockIdx.x * blockDim.x + threadIdx.x;
  int h = blockIdx.y * blockDim.y + threadIdx.y;
  if (g >= u || h >= v)
    return;
  float r = s[h];
  for (int j = 0; j < e; ++j)
    r += p[(size_t)g * e + j] * q[(size_t)h * e + j];
  t[(size_t)g * v + h] = fmaxf(r, 0.0f);
}

void go(const float *p, const float *q, const float *s, float *t, int u, int v, int e) {
  dim3 b(16, 16);
  dim3 c((u + 15) / 16, (v + 15) / 16);
  zeta<<<c, b>>>(p, q, s, t, u, v, e);
}
