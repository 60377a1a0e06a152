// Baseline of scan_exclusive: sums a tile of 1024, a scan of the tiles' sums by one block, then each tile again with its offset.
#include "baseline.cuh"

constexpr int Tile = 1024, MostTiles = 1 << 20;
__device__ Acc offsets[MostTiles];

// What the threads before this one hold together; total: the whole block's.
__device__ Acc scanBlock(Acc v, Acc &total) {
  __shared__ Acc sums[32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  Acc s = v;
  for (int d = 1; d < 32; d *= 2) {
    Acc o = __shfl_up_sync(0xffffffffu, s, d);
    if (lane >= d)
      s += o;
  }
  if (lane == 31)
    sums[warp] = s;
  __syncthreads();
  if (warp == 0) {
    Acc w = sums[lane];
    for (int d = 1; d < 32; d *= 2) {
      Acc o = __shfl_up_sync(0xffffffffu, w, d);
      if (lane >= d)
        w += o;
    }
    sums[lane] = w;
  }
  __syncthreads();
  Acc before = (warp ? sums[warp - 1] : Acc(0)) + s - v;
  total = sums[31];
  __syncthreads();
  return before;
}

__global__ void tileSums(const T *__restrict__ x, int n) {
  int i = blockIdx.x * Tile + threadIdx.x;
  Acc sum = blockReduce(i < n ? Acc(widen(x[i])) : Acc(0), Acc(0), Plus());
  if (threadIdx.x == 0)
    offsets[blockIdx.x] = sum;
}

__global__ void scanTiles(int tiles) {
  Acc carry = 0;
  for (int t0 = 0; t0 < tiles; t0 += Tile) {
    int t = t0 + threadIdx.x;
    Acc total, own = t < tiles ? offsets[t] : Acc(0), before = scanBlock(own, total);
    if (t < tiles)
      offsets[t] = carry + before;
    carry += total;
  }
}

__global__ void finish(const T *__restrict__ x, T *__restrict__ y, int n) {
  int i = blockIdx.x * Tile + threadIdx.x;
  Acc total, own = i < n ? Acc(widen(x[i])) : Acc(0), before = scanBlock(own, total), carry = offsets[blockIdx.x];
  if (i < n)
    y[i] = narrow(carry + before);
}

void launch_scan_exclusive(const T *x, T *y, int n) {
  int tiles = (n + Tile - 1) / Tile;
  if (tiles == 0)
    return;
  tileSums<<<tiles, Tile>>>(x, n);
  scanTiles<<<1, Tile>>>(tiles);
  finish<<<tiles, Tile>>>(x, y, n);
}
