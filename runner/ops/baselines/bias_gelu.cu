// Baseline of bias_gelu: one block walks over rows, its threads over vectors of columns.
#include "baseline.cuh"

template <typename V> __device__ V act(V v) { return V(0.5) * v * (V(1) + erf(v * V(0.70710678118654752440))); }

__global__ void biased(const T *__restrict__ x, const T *__restrict__ bias, T *__restrict__ y, int rows, int cols, bool wide) {
  int packs = wide ? cols / Lanes : 0;
  for (int r = blockIdx.x; r < rows; r += gridDim.x) {
    const T *in = x + (size_t)r * cols;
    T *out = y + (size_t)r * cols;
    for (int p = threadIdx.x; p < packs; p += blockDim.x) {
      Pack a = reinterpret_cast<const Pack *>(in)[p], b = reinterpret_cast<const Pack *>(bias)[p];
#pragma unroll
      for (int k = 0; k < Lanes; ++k)
        a.v[k] = narrow(act(widen(a.v[k]) + widen(b.v[k])));
      reinterpret_cast<Pack *>(out)[p] = a;
    }
    for (int c = packs * Lanes + threadIdx.x; c < cols; c += blockDim.x)
      out[c] = narrow(act(widen(in[c]) + widen(bias[c])));
  }
}

void launch_bias_gelu(const T *x, const T *bias, T *y, int rows, int cols) {
  bool wide = cols % Lanes == 0 && aligned16(x) && aligned16(bias) && aligned16(y);
  if (rows > 0 && cols > 0)
    biased<<<blocksFor(rows, 1), 256>>>(x, bias, y, rows, cols, wide);
}
