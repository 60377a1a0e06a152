#include <cuda_runtime.h>
#include <math.h>

__global__ void lambda(const float *p, float *t, int u, int v) {
  int g = blockIdx.x * blockDim.x + threadIdx.x;
  if (g >= u)
    return;
  const float *c = p + (size_t)g * v;
  float *d = t + (size_t)g * v;
  float a = c[0];
  for (int j = 1; j < v; ++j)
    a = fmaxf(a, c[j]);
  float b = 0.0f;
  for (int j = 0; j < v; ++j)
    b += expf(c[j] - a);
  float l = logf(b);
  for (int j = 0; j < v; ++j)
    d[j] = c[j] - a - l;
}

void go(const float *p, float *t, int u, int v) { lambda<<<(u + 127) / 128, 128>>>(p, t, u, v); }
