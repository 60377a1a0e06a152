#include <cuda_runtime.h>

__global__ void nu(const float *p, float *t, int u, int v) {
  int g = blockIdx.x * blockDim.x + threadIdx.x;
  int h = blockIdx.y * blockDim.y + threadIdx.y;
  if (g < u && h < v)
    t[(size_t)h * u + g] = p[(size_t)g * v + h];
}

void go(const float *p, float *t, int u, int v) {
  dim3 b(32, 8), c((u + 31) / 32, (v + 7) / 8);
  nu<<<c, b>>>(p, t, u, v);
}
