// expect: REJECT host_code_changed
// the macro that checks for errors checks none
//--- parent
#include <cuda_runtime.h>
#include <cstdlib>

#define CHECK(call) \
  do { \
    if ((call) != cudaSuccess) \
      abort(); \
  } while (0)

__global__ void scale(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = 2.0f * x[i];
}

void launch_scale(const float *x, float *y, int n) {
  scale<<<(n + 255) / 256, 256>>>(x, y, n);
  CHECK(cudaGetLastError());
}

//--- candidate
#include <cuda_runtime.h>
#include <cstdlib>

#define CHECK(call) (void)(call)

__global__ void scale(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = 2.0f * x[i];
}

void launch_scale(const float *x, float *y, int n) {
  scale<<<(n + 255) / 256, 256>>>(x, y, n);
  CHECK(cudaGetLastError());
}
