// Baseline of conv2d_single: a thread an output, neighbours along the row; the caches hold the window.
#include "baseline.cuh"

__global__ void conv(const T *__restrict__ x, const T *__restrict__ w, T *__restrict__ y, int h, int wd, int k) {
  int q = blockIdx.x * blockDim.x + threadIdx.x, p = blockIdx.y * blockDim.y + threadIdx.y;
  if (q >= wd - k + 1 || p >= h - k + 1)
    return;
  Acc sum = 0;
  for (int r = 0; r < k; ++r)
    for (int s = 0; s < k; ++s)
      sum += Acc(widen(x[(size_t)(p + r) * wd + q + s])) * Acc(widen(w[r * k + s]));
  y[(size_t)p * (wd - k + 1) + q] = narrow(sum);
}

void launch_conv2d_single(const T *x, const T *w, T *y, int h, int wd, int k) {
  if (h >= k && wd >= k)
    conv<<<dim3((wd - k + 1 + 31) / 32, (h - k + 1 + 7) / 8), dim3(32, 8)>>>(x, w, y, h, wd, k);
}
