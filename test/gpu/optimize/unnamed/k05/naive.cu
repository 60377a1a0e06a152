#include <cuda_runtime.h>
#include <math.h>

__global__ void kappa(const float *p, float *t, int u, int v) {
  int g = blockIdx.x * blockDim.x + threadIdx.x;
  if (g < u) {
    float a = p[(size_t)g * v];
    for (int j = 1; j < v; j++)
      a = fmaxf(a, p[(size_t)g * v + j]);
    float b = 0.0f;
    for (int j = 0; j < v; j++)
      b += expf(p[(size_t)g * v + j] - a);
    for (int j = 0; j < v; j++)
      t[(size_t)g * v + j] = expf(p[(size_t)g * v + j] - a) / b;
  }
}

void go(const float *p, float *t, int u, int v) { kappa<<<(u + 63) / 64, 64>>>(p, t, u, v); }
