// Baseline of dequantize: four elements a thread, one 4-byte load.
#include "baseline.cuh"

__global__ void dequantize(const signed char *__restrict__ q, T *__restrict__ y, float scale, float zero, int n, bool wide) {
  int step = gridDim.x * blockDim.x, first = blockIdx.x * blockDim.x + threadIdx.x, packs = wide ? n / 4 : 0;
  for (int p = first; p < packs; p += step) {
    char4 r = reinterpret_cast<const char4 *>(q)[p];
    y[4 * p] = narrow((r.x - zero) * scale);
    y[4 * p + 1] = narrow((r.y - zero) * scale);
    y[4 * p + 2] = narrow((r.z - zero) * scale);
    y[4 * p + 3] = narrow((r.w - zero) * scale);
  }
  for (int i = packs * 4 + first; i < n; i += step)
    y[i] = narrow((q[i] - zero) * scale);
}

void launch_dequantize(const signed char *q, T *y, float scale, float zero_point, int n) {
  if (n > 0)
    dequantize<<<blocksFor(n, 1024), 256>>>(q, y, scale, zero_point, n, aligned16(q));
}
