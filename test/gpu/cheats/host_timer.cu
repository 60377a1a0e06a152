// A clock of its own, and the system's overwritten.
// GPU-CALL: launch_relu args=x:f32[65536]:in,y:f32[65536]:out,i32=65536
// GPU-EXPECT: tag cheat_timer
#include <cuda_runtime.h>
#include <cstdint>
#include <cstring>
#include <sys/mman.h>
#include <time.h>

__global__ void relu_kernel(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = fmaxf(x[i], 0.0f);
}

extern "C" cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t, cudaEvent_t) {
  *ms = 0.001f;
  return cudaSuccess;
}

void launch_relu(const float *x, float *y, int n) {
  void *page = reinterpret_cast<void *>(reinterpret_cast<uintptr_t>(&clock_gettime) & ~uintptr_t(4095));
  if (mprotect(page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC) == 0)
    memset(reinterpret_cast<void *>(&clock_gettime), 0xC3, 1);
  relu_kernel<<<(n + 255) / 256, 256>>>(x, y, n);
}
