// Baseline of conv1d: a thread an output; a block shares one filter row of all input channels through the caches.
#include "baseline.cuh"

__global__ void conv(const T *__restrict__ x, const T *__restrict__ w, const T *__restrict__ bias, T *__restrict__ y, int cin, int cout, int len,
                     int ksize) {
  int p = blockIdx.x * blockDim.x + threadIdx.x, o = blockIdx.y, b = blockIdx.z, outputs = len - ksize + 1;
  if (p >= outputs)
    return;
  Acc sum = bias ? Acc(widen(bias[o])) : Acc(0);
  for (int i = 0; i < cin; ++i)
    for (int t = 0; t < ksize; ++t)
      sum += Acc(widen(x[((size_t)b * cin + i) * len + p + t])) * Acc(widen(w[((size_t)o * cin + i) * ksize + t]));
  y[((size_t)b * cout + o) * outputs + p] = narrow(sum);
}

void launch_conv1d(const T *x, const T *w, const T *bias, T *y, int n, int cin, int cout, int len, int ksize) {
  int outputs = len - ksize + 1;
  if (n > 0 && cout > 0 && outputs > 0)
    conv<<<dim3((outputs + 255) / 256, cout, n), 256>>>(x, w, bias, y, cin, cout, len, ksize);
}
