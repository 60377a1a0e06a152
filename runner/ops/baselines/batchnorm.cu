// Baseline of batchnorm (inference): a block a plane, its factor and offset computed once.
#include "baseline.cuh"

__global__ void batchnorm(const T *__restrict__ x, const T *__restrict__ gamma, const T *__restrict__ beta, const T *__restrict__ mean,
                          const T *__restrict__ var, T *__restrict__ y, int planes, int channels, int size, float eps, bool wide) {
  int packs = wide ? size / Lanes : 0;
  for (int p = blockIdx.x; p < planes; p += gridDim.x) {
    int c = p % channels;
    Acc f = Acc(widen(gamma[c])) * rsqrt(Acc(widen(var[c])) + Acc(eps)), m = widen(mean[c]), o = widen(beta[c]);
    const T *in = x + (size_t)p * size;
    T *out = y + (size_t)p * size;
    for (int i = threadIdx.x; i < packs; i += blockDim.x) {
      Pack a = reinterpret_cast<const Pack *>(in)[i];
#pragma unroll
      for (int k = 0; k < Lanes; ++k)
        a.v[k] = narrow((widen(a.v[k]) - m) * f + o);
      reinterpret_cast<Pack *>(out)[i] = a;
    }
    for (int i = packs * Lanes + threadIdx.x; i < size; i += blockDim.x)
      out[i] = narrow((widen(in[i]) - m) * f + o);
  }
}

void launch_batchnorm(const T *x, const T *gamma, const T *beta, const T *mean, const T *var, T *y, int n, int c, int s, float eps) {
  bool wide = s % Lanes == 0 && aligned16(x) && aligned16(y);
  if (n > 0 && c > 0 && s > 0)
    batchnorm<<<blocksFor((long long)n * c, 1), 256>>>(x, gamma, beta, mean, var, y, n * c, c, s, eps, wide);
}
