// Baseline of conv2d_strided: a thread an output, 32 along the row; what lies outside of the image counts as zero.
#include "baseline.cuh"

__global__ void conv(const T *__restrict__ x, const T *__restrict__ w, const T *__restrict__ bias, T *__restrict__ y, int cin, int cout, int h,
                     int wd, int kr, int ks, int stride, int pad, int ph, int pw) {
  int q = blockIdx.x * 32 + threadIdx.x, p = blockIdx.y * 8 + threadIdx.y, o = blockIdx.z % cout, b = blockIdx.z / cout;
  if (q >= pw || p >= ph)
    return;
  Acc sum = bias ? Acc(widen(bias[o])) : Acc(0);
  for (int i = 0; i < cin; ++i)
    for (int r = 0; r < kr; ++r) {
      int row = p * stride + r - pad;
      if (row < 0 || row >= h)
        continue;
      for (int s = 0; s < ks; ++s) {
        int col = q * stride + s - pad;
        if (col >= 0 && col < wd)
          sum += Acc(widen(x[(((size_t)b * cin + i) * h + row) * wd + col])) * Acc(widen(w[(((size_t)o * cin + i) * kr + r) * ks + s]));
      }
    }
  y[(((size_t)b * cout + o) * ph + p) * pw + q] = narrow(sum);
}

void launch_conv2d_strided(const T *x, const T *w, const T *bias, T *y, int n, int cin, int cout, int h, int wd, int r, int s, int stride, int pad) {
  int ph = (h + 2 * pad - r) / stride + 1, pw = (wd + 2 * pad - s) / stride + 1;
  if (n > 0 && cout > 0 && ph > 0 && pw > 0)
    conv<<<dim3((pw + 31) / 32, (ph + 7) / 8, n * cout), dim3(32, 8)>>>(x, w, bias, y, cin, cout, h, wd, r, s, stride, pad, ph, pw);
}
