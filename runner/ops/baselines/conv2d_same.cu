// Baseline of conv2d_same: a thread an output, neighbours along the row; what lies outside of the image counts as zero.
#include "baseline.cuh"

__global__ void conv(const T *__restrict__ x, const T *__restrict__ w, T *__restrict__ y, int h, int wd, int k) {
  int q = blockIdx.x * blockDim.x + threadIdx.x, p = blockIdx.y * blockDim.y + threadIdx.y;
  if (q >= wd || p >= h)
    return;
  Acc sum = 0;
  for (int r = 0; r < k; ++r)
    for (int s = 0; s < k; ++s) {
      int row = p + r - k / 2, col = q + s - k / 2;
      if (row >= 0 && row < h && col >= 0 && col < wd)
        sum += Acc(widen(x[(size_t)row * wd + col])) * Acc(widen(w[r * k + s]));
    }
  y[(size_t)p * wd + q] = narrow(sum);
}

void launch_conv2d_same(const T *x, const T *w, T *y, int h, int wd, int k) {
  if (h > 0 && wd > 0)
    conv<<<dim3((wd + 31) / 32, (h + 7) / 8), dim3(32, 8)>>>(x, w, y, h, wd, k);
}
