// WANT: race_shared
// Counts of zero would hide it: the totals are scanned while others read them.
#include <cuda_runtime.h>
__global__ void offsets(const int *counts, int *out, int n) {
  __shared__ int totals[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  int v = i < n ? counts[i] : 0;
  for (int d = 1; d < 32; d *= 2) {
    int u = __shfl_up_sync(~0u, v, d);
    if (lane >= d) v += u;
  }
  if (lane == 31) totals[warp] = v;
  __syncthreads();
  if (warp == 0 && lane < 8) {
    int t = totals[lane];
    for (int d = 1; d < 8; d *= 2) {
      int u = __shfl_up_sync(0xff, t, d);
      if (lane >= d) t += u;
    }
    totals[lane] = t;
  }
  if (i < n) out[i] = v + (warp ? totals[warp - 1] : 0);
}
void launch(const int *counts, int *out, int n) { offsets<<<(n + 255) / 256, 256>>>(counts, out, n); }
