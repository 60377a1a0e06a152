// Baseline of axpy.
#include "baseline.cuh"

struct Fn {
  float alpha;
  template <typename V> __device__ V operator()(V x, V y) const { return V(alpha) * x + y; }
};

// y is input and output: each element is read before it is written, by the same thread.
__global__ void axpy(const T *__restrict__ x, T *y, long long n, bool wide, Fn f) {
  long long step = (long long)gridDim.x * blockDim.x, first = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  long long packs = wide ? n / Lanes : 0;
  for (long long p = first; p < packs; p += step) {
    Pack u = reinterpret_cast<const Pack *>(x)[p], v = reinterpret_cast<Pack *>(y)[p];
#pragma unroll
    for (int k = 0; k < Lanes; ++k)
      v.v[k] = narrow(f(widen(u.v[k]), widen(v.v[k])));
    reinterpret_cast<Pack *>(y)[p] = v;
  }
  for (long long i = packs * Lanes + first; i < n; i += step)
    y[i] = narrow(f(widen(x[i]), widen(y[i])));
}

void launch_axpy(float alpha, const T *x, T *y, int n) {
  if (n > 0)
    axpy<<<blocksFor(n, 256 * Lanes), 256>>>(x, y, n, aligned16(x) && aligned16(y), Fn{alpha});
}
