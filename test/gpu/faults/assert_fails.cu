// GPU: k grid=1 block=32 args=y:f32[32]:out
// GPU-EXPECT: failure device_assert
#include <cassert>
__global__ void k(float *y) {
  assert(threadIdx.x < 31);
  y[threadIdx.x] = 1;
}
