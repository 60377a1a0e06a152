// RUN: %kcheck_test --rules=api %s
#include <cuda_runtime.h>

// Device code may read a host constant, of which it has a copy; the host's is no symbol for that.
static const int steps[4] = {1, 2, 7, 61};
__constant__ int fixed[4];
__global__ void addSteps(const int *table, int *out) { out[threadIdx.x] = steps[threadIdx.x % 4] + fixed[threadIdx.x % 4] + table[0]; }

void copyOk(int *table) { cudaMemcpy(table, steps, sizeof(steps), cudaMemcpyHostToDevice); }
void copyBad() { cudaMemcpy(fixed, steps, sizeof(steps), cudaMemcpyHostToDevice); } // expect: reject memcpy_direction

// As many bytes as there are elements.
__constant__ float taps[64];
__global__ void tapped(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 63 >= n)
    return;
  float s = 0;
#pragma unroll
  for (int k = 0; k < 64; ++k)
    s += taps[k] * x[i + k];
  y[i] = s;
}
void setTapsBad(const float *host) { cudaMemcpyToSymbol(taps, host, 64); } // expect: review memcpy_size
void setTapsOk(const float *host) { cudaMemcpyToSymbol(taps, host, sizeof(taps)); }
void setSomeTapsOk(const float *host) { cudaMemcpyToSymbol(taps, host, 16 * sizeof(float)); }
void launchTaps(const float *x, float *y, int n) { tapped<<<(n + 255) / 256, 256>>>(x, y, n); }
