// verdict: REJECT wrong_result
// The variance is divided by cols - 1: off by a factor that short rows show (and a division by zero at one column).
#include <cuda_runtime.h>

constexpr int Threads = 128;

__device__ float blockSum(float v, float *part) {
  int t = threadIdx.x;
  part[t] = v;
  __syncthreads();
  for (int d = Threads / 2; d > 0; d /= 2) {
    if (t < d)
      part[t] += part[t + d];
    __syncthreads();
  }
  float sum = part[0];
  __syncthreads();
  return sum;
}

__global__ void layernorm(const float *__restrict__ x, const float *__restrict__ gamma, const float *__restrict__ beta,
                          float *__restrict__ y, int cols, float eps) {
  __shared__ float part[Threads];
  const float *in = x + (size_t)blockIdx.x * cols;
  float *out = y + (size_t)blockIdx.x * cols;
  float sum = 0.0f;
  for (int c = threadIdx.x; c < cols; c += Threads)
    sum += in[c];
  float mean = blockSum(sum, part) / cols;
  float squares = 0.0f;
  for (int c = threadIdx.x; c < cols; c += Threads)
    squares += (in[c] - mean) * (in[c] - mean);
  float inverse = rsqrtf(blockSum(squares, part) / (cols - 1) + eps);
  for (int c = threadIdx.x; c < cols; c += Threads)
    out[c] = (in[c] - mean) * inverse * gamma[c] + beta[c];
}

void launch_layernorm(const float *x, const float *gamma, const float *beta, float *y, int rows, int cols, float eps) {
  layernorm<<<rows, Threads>>>(x, gamma, beta, y, cols, eps);
}
