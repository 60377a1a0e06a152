// WANT: launch_config
// 2048 threads a block at every size.
#include <cuda_runtime.h>
__global__ void fill(float *p, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h) p[y * w + x] = 1;
}
void launch(float *p, int w, int h) {
  dim3 block(64, 32);
  fill<<<dim3((w + 63) / 64, (h + 31) / 32), block>>>(p, w, h);
}
