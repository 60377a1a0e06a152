#include <cuda_runtime.h>

__global__ void theta(const float *p, const float *q, float *t, int u, int v, int e) {
  int g = blockIdx.y * blockDim.y + threadIdx.y;
  int h = blockIdx.x * blockDim.x + threadIdx.x;
  if (g < u && h < v) {
    float r = 0;
    for (int j = 0; j < e; j++)
      r += p[g * e + j] * q[j * v + h];
    t[g * v + h] = r;
  }
}

void go(const float *p, const float *q, float *t, int u, int v, int e) {
  dim3 b(32, 8), c((v + 31) / 32, (u + 7) / 8);
  theta<<<c, b>>>(p, q, t, u, v, e);
}
