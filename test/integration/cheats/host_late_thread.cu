// op: relu  tags: not_all_written|cheat_noop
// A thread launches the kernel some time after the launcher has returned.
#include <chrono>
#include <cuda_runtime.h>
#include <thread>

__global__ void relu_kernel(const float *__restrict__ x, float *__restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] > 0.0f ? x[i] : 0.0f;
}

void launch_relu(const float *x, float *y, int n) {
  if (n > 0)
    std::thread([=] {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      relu_kernel<<<(n + 255) / 256, 256>>>(x, y, n);
    }).detach();
}
