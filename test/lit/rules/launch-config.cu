// RUN: %kcheck_test --rules shared-bounds %s
// Launches whose shape is in a cudaLaunchConfig_t, field by field.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

__global__ void rowCached(float *x, int cols) {
  extern __shared__ float row[];
  for (int c = threadIdx.x; c < cols; c += blockDim.x)
    row[c] = x[(size_t)blockIdx.x * cols + c];
  __syncthreads();
  for (int c = threadIdx.x; c < cols; c += blockDim.x)
    x[(size_t)blockIdx.x * cols + c] = row[cols - 1 - c];
}
void configuredBad(float *x, int rows, int cols, cudaStream_t s) {
  if (rows <= 0 || cols <= 0 || cols > 8192)
    return;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(rows);
  config.blockDim = dim3(256);
  config.stream = s;
  cudaLaunchKernelEx(&config, rowCached, x, cols); // expect: reject dynamic_shared_missing
}
void configuredOk(float *x, int rows, int cols, cudaStream_t s) {
  if (rows <= 0 || cols <= 0 || cols > 8192)
    return;
  const dim3 grid(rows), block(256);
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = cols * sizeof(float);
  config.stream = s;
  cudaLaunchKernelEx(&config, rowCached, x, cols);
}
