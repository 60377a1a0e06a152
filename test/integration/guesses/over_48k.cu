// WANT: launch_config
// 64 KB of shared memory a block, and nothing asks for more than the 48 that a kernel has by itself.
#include <cuda_runtime.h>
constexpr int Cols = 16384;
__global__ void flip(float *x) {
  extern __shared__ float line[];
  float *row = x + size_t(blockIdx.x) * Cols;
  for (int c = threadIdx.x; c < Cols; c += blockDim.x)
    line[c] = row[c];
  __syncthreads();
  for (int c = threadIdx.x; c < Cols; c += blockDim.x)
    row[c] = line[Cols - 1 - c];
}
void launchFlip(float *x, int rows, cudaStream_t stream) {
  if (rows > 0)
    flip<<<rows, 512, Cols * sizeof(float), stream>>>(x);
}
