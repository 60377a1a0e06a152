// verdict: REJECT barrier_divergence
// One block sums one row. The barrier stands inside `if (t < stride)`: half of the block never reaches it.
#include <cuda_runtime.h>

__global__ void row_sum(const float *x, float *sums, int cols) {
  __shared__ float part[256];
  int t = threadIdx.x;
  float s = 0.0f;
  for (int c = t; c < cols; c += blockDim.x)
    s += x[(size_t)blockIdx.x * cols + c];
  part[t] = s;
  __syncthreads();
  for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (t < stride) {
      part[t] += part[t + stride];
      __syncthreads();
    }
  }
  if (t == 0)
    sums[blockIdx.x] = part[0];
}

void launch_row_sum(const float *x, float *sums, int rows, int cols) {
  row_sum<<<rows, 256>>>(x, sums, cols);
}
