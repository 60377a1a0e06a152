// expect: PASS
// the same check negated
//--- parent
#include <cuda_runtime.h>

__global__ void add(const float *a, float *b, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h)
    return;
  b[y * w + x] += a[y * w + x];
}

//--- candidate
#include <cuda_runtime.h>

__global__ void add(const float *a, float *b, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (!(x < w && h > y))
    return;
  b[y * w + x] += a[y * w + x];
}
