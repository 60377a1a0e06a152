// Baseline of embedding: a block a token, whole vectors where rows are aligned.
#include "baseline.cuh"

__global__ void embedding(const T *__restrict__ table, const int *__restrict__ ids, T *__restrict__ out, int n, int d, bool wide) {
  int packs = wide ? d / Lanes : 0;
  for (int i = blockIdx.x; i < n; i += gridDim.x) {
    const T *row = table + (size_t)ids[i] * d;
    T *to = out + (size_t)i * d;
    for (int p = threadIdx.x; p < packs; p += blockDim.x)
      reinterpret_cast<Pack *>(to)[p] = reinterpret_cast<const Pack *>(row)[p];
    for (int c = packs * Lanes + threadIdx.x; c < d; c += blockDim.x)
      to[c] = row[c];
  }
}

void launch_embedding(const T *table, const int *ids, T *out, int vocab, int n, int d) {
  if (n > 0 && d > 0)
    embedding<<<blocksFor(n, 1), 128>>>(table, ids, out, n, d, d % Lanes == 0 && aligned16(table) && aligned16(out));
}
