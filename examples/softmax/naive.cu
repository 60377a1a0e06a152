// verdict: REVIEW uncoalesced
// One thread a row: right, but its threads read far apart and most of the device idles.
#include <cuda_runtime.h>
#include <math.h>

__global__ void softmax(const float *x, float *y, int rows, int cols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows)
    return;
  const float *in = x + (size_t)r * cols;
  float *out = y + (size_t)r * cols;
  float top = in[0];
  for (int c = 1; c < cols; ++c)
    top = fmaxf(top, in[c]);
  float sum = 0.0f;
  for (int c = 0; c < cols; ++c)
    sum += expf(in[c] - top);
  for (int c = 0; c < cols; ++c)
    out[c] = expf(in[c] - top) / sum;
}

void launch_softmax(const float *x, float *y, int rows, int cols) {
  softmax<<<(rows + 127) / 128, 128>>>(x, y, rows, cols);
}
