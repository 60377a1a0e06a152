// Baseline of conv2d: a thread an output, 32 along the row.
#include "baseline.cuh"

__global__ void conv(const T *__restrict__ x, const T *__restrict__ w, const T *__restrict__ bias, T *__restrict__ y, int cin, int cout, int h,
                     int wd, int kr, int ks) {
  int q = blockIdx.x * 32 + threadIdx.x, p = blockIdx.y * 8 + threadIdx.y, o = blockIdx.z % cout, b = blockIdx.z / cout;
  int ph = h - kr + 1, pw = wd - ks + 1;
  if (q >= pw || p >= ph)
    return;
  Acc sum = bias ? Acc(widen(bias[o])) : Acc(0);
  for (int i = 0; i < cin; ++i)
    for (int r = 0; r < kr; ++r)
      for (int s = 0; s < ks; ++s)
        sum += Acc(widen(x[(((size_t)b * cin + i) * h + p + r) * wd + q + s])) * Acc(widen(w[(((size_t)o * cin + i) * kr + r) * ks + s]));
  y[(((size_t)b * cout + o) * ph + p) * pw + q] = narrow(sum);
}

void launch_conv2d(const T *x, const T *w, const T *bias, T *y, int n, int cin, int cout, int h, int wd, int r, int s) {
  int ph = h - r + 1, pw = wd - s + 1;
  if (n > 0 && cout > 0 && ph > 0 && pw > 0)
    conv<<<dim3((pw + 31) / 32, (ph + 7) / 8, n * cout), dim3(32, 8)>>>(x, w, bias, y, cin, cout, h, wd, r, s);
}
