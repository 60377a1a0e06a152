#include <cuda_runtime.h>

__global__ void iota(const float *p, const float *q, float *t, int u, int v, int e) {
  int g = blockIdx.y * blockDim.y + threadIdx.y;
  int h = blockIdx.x * blockDim.x + threadIdx.x;
  if (g < u && h < v) {
    float r = 0;
    for (int j = 0; j < e; j++)
      r += p[j * u + g] * q[j * v + h];
    t[g * v + h] = r;
  }
}

void go(const float *p, const float *q, float *t, int u, int v, int e) {
  dim3 b(16, 16), c((v + 15) / 16, (u + 15) / 16);
  iota<<<c, b>>>(p, q, t, u, v, e);
}
