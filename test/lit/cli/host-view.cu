// RUN: %kcheck lint %s | FileCheck %s
// The host sees the kernel without its body: what it says of the launch would be wrong.
#include <cuda_runtime.h>
// y = 2 x, a row of blocks a row
__global__ void scale(const float *x, float *y, int w, int rows) {
#if __CUDA_ARCH__ >= 700
  const int c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y * 16 + threadIdx.y;
  if (c < w && r < rows)
    y[size_t(r) * w + c] = 2.0f * x[size_t(r) * w + c];
#endif
}
void launchScale(const float *x, float *y, int w, int rows) {
  scale<<<dim3((w + 15) / 16, (rows + 15) / 16), dim3(16, 16)>>>(x, y, w, rows);
}
// CHECK-NOT: dimension_mismatch
// CHECK: result:
