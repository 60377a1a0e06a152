// RUN: %kcheck_test --rules index-space %s
// Kernels with a pack of parameters: an instance has more of them than what is written.
#include <cuda_runtime.h>

template <class Fn, class... Args> __global__ void apply(int chunk, float *x, Fn f, Args... args) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < chunk)
    x[i] = f(x[i], args...);
}
struct Scale {
  __device__ float operator()(float v, float by, int shift) const { return v * by + shift; }
};
void launchPackOk(float *x, int n, float by, int shift) {
  if (n > 0)
    apply<<<(n + 255) / 256, 256>>>(n, x, Scale{}, by, shift);
}
