// Baseline of quantize: four elements a thread, one 4-byte store.
#include "baseline.cuh"

__device__ signed char level(float x, float scale, float zero) {
  return (signed char)fminf(fmaxf(rintf(x / scale + zero), -128.0f), 127.0f);
}

__global__ void quantize(const T *__restrict__ x, signed char *__restrict__ q, float scale, float zero, int n, bool wide) {
  int step = gridDim.x * blockDim.x, first = blockIdx.x * blockDim.x + threadIdx.x, packs = wide ? n / 4 : 0;
  for (int p = first; p < packs; p += step) {
    char4 r;
    r.x = level(widen(x[4 * p]), scale, zero);
    r.y = level(widen(x[4 * p + 1]), scale, zero);
    r.z = level(widen(x[4 * p + 2]), scale, zero);
    r.w = level(widen(x[4 * p + 3]), scale, zero);
    reinterpret_cast<char4 *>(q)[p] = r;
  }
  for (int i = packs * 4 + first; i < n; i += step)
    q[i] = level(widen(x[i]), scale, zero);
}

void launch_quantize(const T *x, signed char *q, float scale, float zero_point, int n) {
  if (n > 0)
    quantize<<<blocksFor(n, 1024), 256>>>(x, q, scale, zero_point, n, aligned16(q));
}
