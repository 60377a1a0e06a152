// Baseline of mul_add.
#include "baseline.cuh"

__global__ void mulAdd(const T *__restrict__ a, const T *__restrict__ b, const T *__restrict__ c, T *__restrict__ out, long long n, bool wide) {
  long long step = (long long)gridDim.x * blockDim.x, first = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  long long packs = wide ? n / Lanes : 0;
  for (long long p = first; p < packs; p += step) {
    Pack u = reinterpret_cast<const Pack *>(a)[p], v = reinterpret_cast<const Pack *>(b)[p], w = reinterpret_cast<const Pack *>(c)[p], r;
#pragma unroll
    for (int k = 0; k < Lanes; ++k)
      r.v[k] = narrow(widen(u.v[k]) * widen(v.v[k]) + widen(w.v[k]));
    reinterpret_cast<Pack *>(out)[p] = r;
  }
  for (long long i = packs * Lanes + first; i < n; i += step)
    out[i] = narrow(widen(a[i]) * widen(b[i]) + widen(c[i]));
}

void launch_mul_add(const T *a, const T *b, const T *c, T *out, int n) {
  bool wide = aligned16(a) && aligned16(b) && aligned16(c) && aligned16(out);
  if (n > 0)
    mulAdd<<<blocksFor(n, 256 * Lanes), 256>>>(a, b, c, out, n, wide);
}
