// Baseline of rope ("half" pairs): a thread a pair.
#include "baseline.cuh"

__global__ void rope(const T *__restrict__ x, const T *__restrict__ cosines, const T *__restrict__ sines, T *__restrict__ y, int seq, int heads,
                     int d) {
  int half = d / 2;
  long long pairs = (long long)seq * heads * half;
  for (long long p = (long long)blockIdx.x * blockDim.x + threadIdx.x; p < pairs; p += (long long)gridDim.x * blockDim.x) {
    long long head = p / half;
    int i = int(p % half);
    long long table = head / heads * half + i, at = head * d + i;
    Acc c = widen(cosines[table]), s = widen(sines[table]), a = widen(x[at]), b = widen(x[at + half]);
    y[at] = narrow(a * c - b * s);
    y[at + half] = narrow(b * c + a * s);
  }
}

void launch_rope(const T *x, const T *cosines, const T *sines, T *y, int seq, int heads, int d) {
  long long pairs = (long long)seq * heads * (d / 2);
  if (pairs > 0)
    rope<<<blocksFor(pairs, 256), 256>>>(x, cosines, sines, y, seq, heads, d);
}
