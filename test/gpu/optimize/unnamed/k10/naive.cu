#include <cuda_runtime.h>

__global__ void omicron(const float *p, const float *q, float *t, int u) {
  int g = blockIdx.x * blockDim.x + threadIdx.x;
  if (g < u)
    atomicAdd(t, p[g] * q[g]);
}

void go(const float *p, const float *q, float *t, int u) {
  cudaMemset(t, 0, sizeof(float));
  omicron<<<(u + 255) / 256, 256>>>(p, q, t, u);
}
