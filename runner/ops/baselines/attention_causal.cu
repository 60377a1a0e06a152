// Baseline of attention_causal: a warp a query with a running maximum and sum; keys and values of 32 positions at a time in shared memory.
// Heads of up to 256 elements.
#include "baseline.cuh"
#include <math.h>

constexpr int Warps = 8, Keys = 32, MostD = 256;

__global__ void attend(const T *__restrict__ q, const T *__restrict__ k, const T *__restrict__ v, T *__restrict__ out, int seq, int d, Acc scale) {
  constexpr bool Causal = true;
  extern __shared__ unsigned char raw[];
  Acc *sk = reinterpret_cast<Acc *>(raw), *sv = sk + Keys * (d + 1), *sq = sv + Keys * (d + 1);
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, query = blockIdx.x * Warps + warp;
  size_t head = (size_t)blockIdx.y * seq * d;
  Acc acc[MostD / 32] = {}, top = -INFINITY, sum = 0;
  for (int i = lane; i < d; i += 32)
    sq[warp * d + i] = query < seq ? Acc(widen(q[head + (size_t)query * d + i])) : Acc(0);
  int last = Causal ? min(seq, (int)(blockIdx.x + 1) * Warps) : seq;
  for (int j0 = 0; j0 < last; j0 += Keys) {
    __syncthreads();
    for (int i = threadIdx.x; i < Keys * d; i += Warps * 32) {
      int j = j0 + i / d;
      sk[i / d * (d + 1) + i % d] = j < seq ? Acc(widen(k[head + (size_t)j * d + i % d])) : Acc(0);
      sv[i / d * (d + 1) + i % d] = j < seq ? Acc(widen(v[head + (size_t)j * d + i % d])) : Acc(0);
    }
    __syncthreads();
    int j = j0 + lane; // each lane scores one key
    Acc score = -INFINITY;
    if (j < seq && (!Causal || j <= query)) {
      score = 0;
      for (int i = 0; i < d; ++i)
        score += sq[warp * d + i] * sk[lane * (d + 1) + i];
      score *= scale;
    }
    Acc best = score;
    for (int s = 16; s > 0; s /= 2)
      best = Larger()(best, __shfl_xor_sync(0xffffffffu, best, s));
    Acc now = Larger()(top, best);
    if (now == -INFINITY)
      continue; // no key for this query in the tile
    Acc shrink = exp(top - now), p = score == -INFINITY ? Acc(0) : exp(score - now), all = p;
    for (int s = 16; s > 0; s /= 2)
      all += __shfl_xor_sync(0xffffffffu, all, s);
    sum = sum * shrink + all;
    top = now;
#pragma unroll
    for (int a = 0; a < MostD / 32; ++a)
      acc[a] *= shrink;
    for (int t = 0; t < Keys; ++t) {
      Acc w = __shfl_sync(0xffffffffu, p, t);
#pragma unroll
      for (int a = 0; a < MostD / 32; ++a)
        if (a * 32 + lane < d)
          acc[a] += w * sv[t * (d + 1) + a * 32 + lane];
    }
  }
  if (query < seq)
#pragma unroll
    for (int a = 0; a < MostD / 32; ++a)
      if (a * 32 + lane < d)
        out[head + (size_t)query * d + a * 32 + lane] = narrow(acc[a] / sum);
}

void launch_attention_causal(const T *q, const T *k, const T *v, T *out, int batch, int heads, int seq, int d, float scale) {
  if (batch <= 0 || heads <= 0 || seq <= 0 || d <= 0 || d > MostD)
    return;
  size_t shared = sizeof(Acc) * (2 * Keys * (d + 1) + Warps * d);
  cudaFuncSetAttribute(attend, cudaFuncAttributeMaxDynamicSharedMemorySize, int(shared));
  attend<<<dim3((seq + Warps - 1) / Warps, batch * heads), Warps * 32, shared>>>(q, k, v, out, seq, d, scale > 0 ? Acc(scale) : Acc(1.0 / sqrt(double(d))));
}
