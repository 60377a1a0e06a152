// WANT: launch_config
// Static and dynamic shared memory are over 48 KB together only.
#include <cuda_runtime.h>
__global__ void sums(const float *x, float *y) {
  __shared__ float tile[80 * 128];
  extern __shared__ float scratch[];
  for (int k = threadIdx.x; k < 80 * 128; k += 256)
    tile[k] = x[size_t(blockIdx.x) * 80 * 128 + k];
  for (int k = threadIdx.x; k < 4096; k += 256)
    scratch[k] = 1;
  __syncthreads();
  if (threadIdx.x < 80)
    y[blockIdx.x * 80 + threadIdx.x] = tile[threadIdx.x * 128] * scratch[threadIdx.x];
}
void launchSums(const float *x, float *y, int batch) { sums<<<batch, 256, 4096 * sizeof(float)>>>(x, y); }
