// verdict: REVIEW uncoalesced
// One thread a row, three passes.
#include <cuda_runtime.h>

__global__ void layernorm(const float *x, const float *gamma, const float *beta, float *y, int rows, int cols, float eps) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows)
    return;
  const float *in = x + (size_t)r * cols;
  float *out = y + (size_t)r * cols;
  float mean = 0.0f;
  for (int c = 0; c < cols; ++c)
    mean += in[c];
  mean /= cols;
  float var = 0.0f;
  for (int c = 0; c < cols; ++c)
    var += (in[c] - mean) * (in[c] - mean);
  float inverse = rsqrtf(var / cols + eps);
  for (int c = 0; c < cols; ++c)
    out[c] = (in[c] - mean) * inverse * gamma[c] + beta[c];
}

void launch_layernorm(const float *x, const float *gamma, const float *beta, float *y, int rows, int cols, float eps) {
  layernorm<<<(rows + 127) / 128, 128>>>(x, gamma, beta, y, rows, cols, eps);
}
