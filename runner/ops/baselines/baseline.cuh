// What the baseline kernels share: the element type, 16-byte vectors, reductions of a block.
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

#ifndef KCHECK_T
#define KCHECK_T float
#endif
typedef KCHECK_T T;

__device__ __forceinline__ float widen(float v) { return v; }
__device__ __forceinline__ double widen(double v) { return v; }
__device__ __forceinline__ float widen(__half v) { return __half2float(v); }
__device__ __forceinline__ float widen(__nv_bfloat16 v) { return __bfloat162float(v); }
__device__ __forceinline__ int widen(int v) { return v; }
__device__ __forceinline__ long long widen(long long v) { return v; }

template <typename X> struct Narrow {
  template <typename F> static __device__ __forceinline__ X from(F v) { return X(v); }
};
template <> struct Narrow<__half> {
  static __device__ __forceinline__ __half from(float v) { return __float2half(v); }
};
template <> struct Narrow<__nv_bfloat16> {
  static __device__ __forceinline__ __nv_bfloat16 from(float v) { return __float2bfloat16(v); }
};
template <typename F> __device__ __forceinline__ T narrow(F v) { return Narrow<T>::from(v); }

// Sums are kept in this type.
template <typename X> struct AccumulatorOf {
  typedef float type;
};
template <> struct AccumulatorOf<double> {
  typedef double type;
};
template <> struct AccumulatorOf<int> {
  typedef int type;
};
template <> struct AccumulatorOf<long long> {
  typedef long long type;
};
typedef AccumulatorOf<T>::type Acc;

constexpr int Lanes = 16 / sizeof(T);
struct alignas(16) Pack {
  T v[Lanes];
};

__host__ inline bool aligned16(const void *p) { return (reinterpret_cast<uintptr_t>(p) & 15) == 0; }
__host__ inline unsigned blocksFor(long long items, int perBlock) {
  long long b = (items + perBlock - 1) / perBlock;
  return b < 1 ? 1u : b > 65535 * 16 ? 65535u * 16u : unsigned(b);
}

// out[i] = f(x[i]...): whole vectors where every pointer is aligned, then the tail.
template <typename F> __global__ void mapOne(const T *__restrict__ x, T *__restrict__ y, long long n, bool wide, F f) {
  long long step = (long long)gridDim.x * blockDim.x, first = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  long long packs = wide ? n / Lanes : 0;
  for (long long p = first; p < packs; p += step) {
    Pack a = reinterpret_cast<const Pack *>(x)[p], r;
#pragma unroll
    for (int k = 0; k < Lanes; ++k)
      r.v[k] = narrow(f(widen(a.v[k])));
    reinterpret_cast<Pack *>(y)[p] = r;
  }
  for (long long i = packs * Lanes + first; i < n; i += step)
    y[i] = narrow(f(widen(x[i])));
}
template <typename F> void runOne(const T *x, T *y, long long n, F f) {
  if (n > 0)
    mapOne<<<blocksFor(n, 256 * Lanes), 256>>>(x, y, n, aligned16(x) && aligned16(y), f);
}

template <typename F>
__global__ void mapTwo(const T *__restrict__ a, const T *__restrict__ b, T *__restrict__ y, long long n, bool wide, F f) {
  long long step = (long long)gridDim.x * blockDim.x, first = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  long long packs = wide ? n / Lanes : 0;
  for (long long p = first; p < packs; p += step) {
    Pack u = reinterpret_cast<const Pack *>(a)[p], v = reinterpret_cast<const Pack *>(b)[p], r;
#pragma unroll
    for (int k = 0; k < Lanes; ++k)
      r.v[k] = narrow(f(widen(u.v[k]), widen(v.v[k])));
    reinterpret_cast<Pack *>(y)[p] = r;
  }
  for (long long i = packs * Lanes + first; i < n; i += step)
    y[i] = narrow(f(widen(a[i]), widen(b[i])));
}
template <typename F> void runTwo(const T *a, const T *b, T *y, long long n, F f) {
  if (n > 0)
    mapTwo<<<blocksFor(n, 256 * Lanes), 256>>>(a, b, y, n, aligned16(a) && aligned16(b) && aligned16(y), f);
}

struct Plus {
  template <typename V> __device__ V operator()(V a, V b) const { return a + b; }
};
struct Larger {
  template <typename V> __device__ V operator()(V a, V b) const { return a > b ? a : b; }
};

// Combines one value a thread over the block; every thread gets the result. Block size: a multiple of 32.
template <typename V, typename Op> __device__ V blockReduce(V v, V none, Op op) {
  __shared__ V part[32];
  __shared__ V all;
  for (int d = 16; d > 0; d /= 2)
    v = op(v, __shfl_down_sync(0xffffffffu, v, d));
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (lane == 0)
    part[warp] = v;
  __syncthreads();
  if (warp == 0) {
    v = lane < (int)(blockDim.x / 32) ? part[lane] : none;
    for (int d = 16; d > 0; d /= 2)
      v = op(v, __shfl_down_sync(0xffffffffu, v, d));
    if (lane == 0)
      all = v;
  }
  __syncthreads();
  V r = all;
  __syncthreads(); // part and all may be used again at once
  return r;
}

struct Identity {
  template <typename V> __device__ V operator()(V v) const { return v; }
};
struct Relu {
  template <typename V> __device__ V operator()(V v) const { return v > V(0) ? v : V(0); }
};
struct Gelu {
  template <typename V> __device__ V operator()(V v) const { return V(0.5) * v * (V(1) + erf(v * V(0.70710678118654752440))); }
};

// c[m, n] = f(alpha * a·b + beta * c + bias[n]): 64x64 outputs a block of 256 threads, 4x4 a thread, k in slices of 16 through
// shared memory. A is [m, k] or (TA) [k, m], B [k, n] or (TB) [n, k].
template <bool TA, bool TB, typename F>
__global__ void __launch_bounds__(256) tiledGemm(const T *__restrict__ a, const T *__restrict__ b, const T *__restrict__ bias, T *c, int m, int n,
                                                 int k, Acc alpha, Acc beta, F f) {
  constexpr int Tile = 64, Slice = 16;
  __shared__ Acc sa[Slice][Tile + 4], sb[Slice][Tile + 4];
  a += (size_t)blockIdx.z * m * k;
  b += (size_t)blockIdx.z * k * n;
  c += (size_t)blockIdx.z * m * n;
  int row0 = blockIdx.y * Tile, col0 = blockIdx.x * Tile, t = threadIdx.x, tr = t / 16 * 4, tc = t % 16 * 4;
  Acc sum[4][4] = {};
  for (int k0 = 0; k0 < k; k0 += Slice) {
    for (int i = t; i < Tile * Slice; i += 256) {
      // Neighbouring threads read neighbouring addresses in either layout.
      int r = TA ? i % Tile : i / Slice, s = TA ? i / Tile : i % Slice;
      int gr = row0 + r, gk = k0 + s;
      sa[s][r] = gr < m && gk < k ? Acc(widen(TA ? a[(size_t)gk * m + gr] : a[(size_t)gr * k + gk])) : Acc(0);
      int q = TB ? i / Slice : i % Tile, u = TB ? i % Slice : i / Tile;
      int gc = col0 + q, gu = k0 + u;
      sb[u][q] = gc < n && gu < k ? Acc(widen(TB ? b[(size_t)gc * k + gu] : b[(size_t)gu * n + gc])) : Acc(0);
    }
    __syncthreads();
#pragma unroll
    for (int s = 0; s < Slice; ++s) {
      Acc ra[4], rb[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        ra[i] = sa[s][tr + i];
        rb[i] = sb[s][tc + i];
      }
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j)
          sum[i][j] += ra[i] * rb[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) {
      int r = row0 + tr + i, q = col0 + tc + j;
      if (r >= m || q >= n)
        continue;
      Acc v = alpha * sum[i][j] + (bias ? Acc(widen(bias[q])) : Acc(0));
      if (beta != Acc(0))
        v += beta * Acc(widen(c[(size_t)r * n + q]));
      c[(size_t)r * n + q] = narrow(f(v));
    }
}
template <bool TA, bool TB, typename F>
void runGemm(const T *a, const T *b, const T *bias, T *c, int m, int n, int k, F f, float alpha = 1, float beta = 0, int batch = 1) {
  if (m > 0 && n > 0 && batch > 0)
    tiledGemm<TA, TB><<<dim3((n + 63) / 64, (m + 63) / 64, batch), 256>>>(a, b, bias, c, m, n, k, Acc(alpha), Acc(beta), f);
}

// y[r] = finish(combine of pre(x[r, c])): a block a row.
template <typename Op> __global__ void reduceRows(const T *__restrict__ x, T *__restrict__ y, int rows, long long cols, Acc none, Acc scale, Op op) {
  for (int r = blockIdx.x; r < rows; r += gridDim.x) {
    Acc v = none;
    for (long long c = threadIdx.x; c < cols; c += blockDim.x)
      v = op(v, Acc(widen(x[(size_t)r * cols + c])));
    v = blockReduce(v, none, op);
    if (threadIdx.x == 0)
      y[r] = narrow(v * scale);
  }
}
