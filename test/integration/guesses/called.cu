// WANT: race_shared
// The scale is a value that no plan follows: the launcher itself is called.
#include <cmath>
#include <cuda_runtime.h>
#include <vector>
__global__ void rowSums(const float *x, float *sums, float scale, int cols) {
  __shared__ float part[128];
  float s = 0;
  for (int i = threadIdx.x; i < cols; i += 128)
    s += x[(size_t)blockIdx.x * cols + i];
  part[threadIdx.x] = s;
  __syncthreads();
  for (int o = 64; o > 0; o /= 2)
    if (threadIdx.x < o)
      part[threadIdx.x] += part[threadIdx.x + o];
  if (threadIdx.x == 0)
    sums[blockIdx.x] = part[0] * scale;
}
void launchRowSums(const float *x, float *sums, int rows, int cols) {
  std::vector<float> scales(1, 1.0f / std::sqrt(float(cols)));
  rowSums<<<rows, 128>>>(x, sums, scales[0], cols);
}
