// verdict: REJECT missing_barrier
// A model's first draft of a row-wise softmax: it forgot two barriers.
#include <cuda_runtime.h>
#include <math.h>

constexpr int Threads = 256;

__global__ void softmax(const float *__restrict__ x, float *__restrict__ y, int cols) {
  __shared__ float part[Threads];
  const float *in = x + (size_t)blockIdx.x * cols;
  float *out = y + (size_t)blockIdx.x * cols;
  int t = threadIdx.x;
  float top = -INFINITY;
  for (int c = t; c < cols; c += Threads)
    top = fmaxf(top, in[c]);
  part[t] = top;
  __syncthreads();
  for (int d = Threads / 2; d > 0; d /= 2) {
    if (t < d)
      part[t] = fmaxf(part[t], part[t + d]);
    __syncthreads();
  }
  top = part[0];
  float sum = 0.0f;
  for (int c = t; c < cols; c += Threads)
    sum += expf(in[c] - top);
  part[t] = sum;
  __syncthreads();
  for (int d = Threads / 2; d > 0; d /= 2) {
    if (t < d)
      part[t] += part[t + d];
  }
  float inverse = 1.0f / part[0];
  for (int c = t; c < cols; c += Threads)
    out[c] = expf(in[c] - top) * inverse;
}

void launch_softmax(const float *x, float *y, int rows, int cols) {
  softmax<<<rows, Threads>>>(x, y, cols);
}
