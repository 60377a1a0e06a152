// RUN: %kcheck_test --rules type-width %s
#include <cuda_fp16.h>
#include <stdint.h>

// unsigned_countdown
__global__ void countsForEverBad(float *a, unsigned n) {
  for (unsigned t = n - 1; t >= 0; --t) // expect: reject unsigned_countdown
    a[t] = 0;
}
__global__ void countsForEverInWhileBad(float *a, size_t n) {
  auto t = n;
  while (t-- >= 0) // expect: reject unsigned_countdown
    a[t] = 0;
}
__global__ void byteCounterBad(int *a, int v) {
  for (uint8_t bit = 31; bit >= 0; --bit) // expect: reject unsigned_countdown
    a[bit] = v >> bit;
}
__global__ void countdownsOk(float *a, unsigned n, int m) {
  for (unsigned t = n; t-- > 0;)
    a[t] = 0;
  for (unsigned t = n - 1; t < n; --t)
    a[t] = 1;
  for (int t = m - 1; t >= 0; --t)
    a[t] = 2;
  for (unsigned t = n - 1; t >= 0; --t) {
    a[t] = 3;
    if (t == 0)
      break;
  }
}

// sign_compare_bug
__global__ void differenceBad(float *y, const float *x, unsigned n, unsigned k) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && i - k >= 0) // expect: reject sign_compare_bug
    y[i] = x[i - k];
}
__global__ void neverNegativeBad(float *y, const float *row, unsigned shift) {
  unsigned c = threadIdx.x;
  y[c] = c - shift < 0 ? 0.0f : row[c - shift]; // expect: reject sign_compare_bug
}
__global__ void neverRunsBad(float *y, const float *x, unsigned r) {
  float s = 0;
  for (int d = -3; d <= r; ++d) // expect: reject sign_compare_bug
    s += x[d + 3];
  y[threadIdx.x] = s;
}
__global__ void hiddenNegativeBad(float *y, const int *label, const float *w, unsigned classes) {
  int l = label[threadIdx.x];
  y[threadIdx.x] = l < classes ? (l < 0 ? 1.0f : w[l]) : 0.0f; // expect: reject sign_compare_bug
}
__global__ void signsOk(float *y, const float *x, int n, unsigned un, int r) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i - r >= 0 && i < n)
    y[i] = x[i - r];
  unsigned j = i - r;
  if (j >= 0 && j < un) // the wrap fails the second test
    y[i] += x[j];
  for (int d = -r; d <= r; ++d)
    y[i] += d;
  if (i < un)
    y[i] += 1;
}

// pointer_width_mismatch, half_float_mismatch
__global__ void floatsAsDoublesBad(const float *x, double *out, int cols) {
  const double *r = reinterpret_cast<const double *>(x + (size_t)blockIdx.x * cols); // expect: reject pointer_width_mismatch
  double s = 0;
  for (int c = threadIdx.x; c < cols; c += 32)
    s += r[c];
  out[threadIdx.x] = s;
}
__global__ void gather(const float *table, const int *ids, float *out, int cols) {
  out[threadIdx.x] = table[(size_t)ids[blockIdx.x] * cols + threadIdx.x];
}
void longIdsBad(const float *table, const int64_t *ids, float *out, int n, int cols) {
  gather<<<n, 128>>>(table, (const int *)ids, out, cols); // expect: reject pointer_width_mismatch
}
__global__ void packetsOk(const float *x, float *y, const double *d, unsigned *bits) {
  const float4 *v = reinterpret_cast<const float4 *>(x);
  float4 p = v[threadIdx.x];
  reinterpret_cast<float4 *>(y)[threadIdx.x] = p;
  const unsigned long long *w = reinterpret_cast<const unsigned long long *>(x);
  reinterpret_cast<unsigned long long *>(y)[threadIdx.x] = w[threadIdx.x];
  double local = d[threadIdx.x];
  const int *halves = reinterpret_cast<const int *>(&local);
  bits[2 * threadIdx.x] = halves[0] ^ halves[1];
  const unsigned *u = reinterpret_cast<const unsigned *>(x);
  bits[2 * threadIdx.x + 1] = u[threadIdx.x] & 0x7fffffffu;
}

// misaligned_vector_cast
__global__ void offsetOneBad(const float *x, float4 *d) {
  d[threadIdx.x] = reinterpret_cast<const float4 *>(x + 1)[threadIdx.x]; // expect: reject misaligned_vector_cast
}
__global__ void everyThirdByteBad(const uint8_t *rgb, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  uchar4 p = *reinterpret_cast<const uchar4 *>(rgb + 3 * (size_t)i); // expect: reject misaligned_vector_cast
  y[i] = p.x + p.y + p.z;
}
__global__ void anyColumnsBad(const float *x, float *y, int cols) {
  const float4 *r = reinterpret_cast<const float4 *>(x + (size_t)blockIdx.x * cols); // expect: reject misaligned_vector_cast
  float s = 0;
  for (int c = threadIdx.x; c < cols / 4; c += blockDim.x)
    s += r[c].x + r[c].y + r[c].z + r[c].w;
  if (threadIdx.x < cols % 4)
    s += x[(size_t)(blockIdx.x + 1) * cols - 1 - threadIdx.x];
  atomicAdd(y, s);
}
__global__ void rowsOfFour(const float *x, float *y, int cols) {
  const float4 *r = reinterpret_cast<const float4 *>(x + (size_t)blockIdx.x * cols);
  for (int c = threadIdx.x; c < (cols + 3) / 4; c += blockDim.x)
    y[c] = r[c].x;
}
void launchRowsOk(const float *x, float *y, int rows, int cols) {
  if (cols % 4 == 0)
    rowsOfFour<<<rows, 128>>>(x, y, cols);
}
constexpr int Width = 128;
__global__ void alignedOk(const float *x, float *y, int cols) {
  int lane = threadIdx.x % 32;
  float4 a = *reinterpret_cast<const float4 *>(x + (size_t)blockIdx.x * Width + 4 * lane);
  float4 b = *reinterpret_cast<const float4 *>(&x[(blockIdx.x * blockDim.x + threadIdx.x) * 4]);
  if (((size_t)x & 15) == 0 && cols % 4 == 0)
    y[threadIdx.x] = reinterpret_cast<const float4 *>(x + cols)[lane].x + a.x + b.x;
}

// size_overflow, sizeof_wrong_type
__global__ void clearScores(float *s, size_t n) {
  for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (size_t)gridDim.x * blockDim.x)
    s[i] = 0.0f;
}
float *largestScoresBad(int seq) {
  if (seq <= 0 || seq > 8192)
    return nullptr;
  const int count = 512 * seq * seq; // expect: reject size_overflow
  float *s = nullptr;
  if (cudaMalloc(&s, (size_t)count * sizeof(float)) != cudaSuccess)
    return nullptr;
  clearScores<<<528, 256>>>(s, count);
  return s;
}
float *anyScoresOk(int seq) {
  if (seq <= 0 || seq > 2047)
    return nullptr;
  const int count = 512 * seq * seq;
  float *s = nullptr;
  if (cudaMalloc(&s, (size_t)count * sizeof(float)) != cudaSuccess)
    return nullptr;
  clearScores<<<528, 256>>>(s, count);
  return s;
}
size_t scoresBad(int batch, int heads, int seq) {
  const size_t count = batch * heads * seq * seq; // expect: review size_overflow
  return count;
}
size_t scoresOk(int batch, int heads, int seq) {
  size_t rows = batch * heads;
  return (size_t)batch * heads * seq * seq + rows;
}
void clearBad(double *acc, const float *src, float *dst, int n) {
  cudaMemset(acc, 0, n * sizeof(float)); // expect: reject sizeof_wrong_type
  cudaMemcpy(dst, src, n * sizeof(src), cudaMemcpyDeviceToDevice); // expect: reject sizeof_wrong_type
}
// More than the floats need is allocated, and all of it copied: that is waste, no fault.
void spaciousOk(const float *from, float *back, size_t n) {
  const size_t bytes = n * sizeof(size_t);
  float *values;
  cudaMalloc(&values, bytes);
  cudaMemcpy(values, from, bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(back, values, bytes, cudaMemcpyDeviceToHost);
}
void spaciousBad(const float *from, size_t n) {
  float *values;
  cudaMalloc(&values, n * sizeof(float));
  cudaMemcpy(values, from, n * sizeof(size_t), cudaMemcpyHostToDevice); // expect: reject sizeof_wrong_type
}
void clearOk(double *acc, float4 *v, const float *src, float *dst, int n, char *raw) {
  cudaMemset(acc, 0, n * sizeof(double));
  cudaMemset(v, 0, 4 * n * sizeof(float));
  cudaMemset(raw, 0, n * sizeof(float));
  cudaMemcpy(dst, src, n * sizeof(*src), cudaMemcpyDeviceToDevice);
}

// narrowing_store
__global__ void wideSumBad(const short *x, short *energy, int cols) {
  long long s = 0;
  for (int c = 0; c < cols; ++c)
    s += (long long)x[c] * x[c];
  energy[threadIdx.x] = s; // expect: reject narrowing_store
}
__global__ void bigIndexBad(const float *code, float v, unsigned char *idx) {
  int arg = 0;
  for (int k = 0; k < 1024; ++k)
    if (code[k] < v)
      arg = k;
  idx[threadIdx.x] = arg; // expect: reject narrowing_store
}
__global__ void narrowOk(const uint8_t *a, const uint8_t *b, uint8_t *y, const float *x, const int *n) {
  int i = threadIdx.x;
  y[i] = (a[i] + b[i]) / 2;
  y[i] = x[i] > 0.5f;
  y[i] = min(max(n[i], 0), 255);
  y[i] = n[i] & 0xff;
  int best = 0;
  for (int k = 0; k < 16; ++k)
    if (a[k] > a[best])
      best = k;
  y[i] = best;
}

// atomic_width
__global__ void byteBinsBad(uint8_t *bins, int mask) {
  atomicAdd((unsigned *)(bins + (threadIdx.x & mask)), 1u); // expect: reject atomic_width
}
__device__ unsigned long long Events;
__global__ void lowHalfBad(unsigned s) {
  atomicAdd(reinterpret_cast<unsigned *>(&Events), s); // expect: reject atomic_width
}
__global__ void convertedMaxBad(float *m, float v) {
  atomicMax((int *)m, (int)v); // expect: reject atomic_width
}
__global__ void atomicsOk(float *m, float v, unsigned long long *total, uint8_t *scratch) {
  atomicMax((int *)m, __float_as_int(v));
  atomicAdd(total, 1ull);
  atomicAdd((int *)(scratch + 256), 1);
  atomicAdd((float *)(reinterpret_cast<float4 *>(m) + 1), v);
}
// A key in the first half of a record of four numbers; but not in a part of one.
__global__ void keyInRecordOk(uint4 *table, unsigned long long key) {
  unsigned long long was = atomicCAS((unsigned long long *)&table[threadIdx.x], 0ull, key);
  if (was == 0)
    table[threadIdx.x].z = 1;
}
__global__ void halfOfLongsBad(ulonglong2 *table, unsigned s) {
  atomicAdd((unsigned *)&table[threadIdx.x], s); // expect: reject atomic_width
}
// What an instance never runs, and what runs where a type that is not there is meant.
template <class A, class B> struct Same { static constexpr bool value = false; };
template <class A> struct Same<A, A> { static constexpr bool value = true; };
template <class T> __global__ void addPairsOk(T *x, float v) {
  if (Same<T, __half>::value)
    atomicAdd((__half2 *)&x[2 * threadIdx.x], __floats2half2_rn(v, v));
  else
    atomicAdd(&x[threadIdx.x], v);
}
template <class T> __global__ void addPairsBad(T *x, float v) {
  if (Same<T, double>::value)
    atomicAdd((__half2 *)&x[2 * threadIdx.x], __floats2half2_rn(v, v)); // expect: reject atomic_width
}
void addPairs(float *x, double *d) {
  addPairsOk<<<1, 32>>>(x, 1.f);
  addPairsBad<<<1, 32>>>(d, 1.f);
}

// Rows of any length: every second one of an odd length starts between two vectors.
__global__ void oddRowsBad(const float *x, float *y, int cols) {
  const size_t base = size_t(blockIdx.x) * cols;
  const float2 *x2 = reinterpret_cast<const float2 *>(x + base); // expect: misaligned_vector_cast
  float2 *y2 = reinterpret_cast<float2 *>(y + base); // expect: misaligned_vector_cast
  for (int c = threadIdx.x; c < cols / 2; c += blockDim.x)
    y2[c] = x2[c];
  if (threadIdx.x == 0 && cols % 2)
    y[base + cols - 1] = x[base + cols - 1];
}
void launchOddRows(const float *x, float *y, int rows, int cols) { oddRowsBad<<<rows, 128>>>(x, y, cols); }

// Labels of 64 bits through a pointer to 32.
__global__ void lossOf(const float *logp, const int *label, float *nll, int n, int classes) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    nll[i] = -logp[size_t(i) * classes + label[i]];
}
void launchLossBad(const float *logp, const long long *label, float *nll, int n, int classes) {
  lossOf<<<(n + 127) / 128, 128>>>(logp, reinterpret_cast<const int *>(label), nll, n, classes); // expect: reject pointer_width_mismatch
}
__global__ void lowHalvesOk(const long long *keys, unsigned *low, int n) {
  const unsigned *words = reinterpret_cast<const unsigned *>(keys);
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    low[i] = words[2 * i] + 1u;
}

// Halves as float4, and the parts used as numbers in a helper.
__device__ float dotOf(const float4 &a, const float4 &b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
__global__ void halfRowsBad(const __half *w, const float4 *x, float *y, int quads) {
  const float4 *w4 = reinterpret_cast<const float4 *>(w); // expect: reject half_float_mismatch
  float acc = 0.0f;
  for (int c = threadIdx.x; c < quads; c += 32)
    acc += dotOf(w4[c], x[c]);
  atomicAdd(y, acc);
}

// A signed start against an unsigned end, in a loop that tests for the negative ones.
__global__ void windowBad(const float *x, float *y, size_t n, int r) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= int(n))
    return;
  float acc = 0.0f;
  for (int j = i - r; j < n && j <= i + r; ++j) // expect: reject sign_compare_bug
    if (j >= 0)
      acc += x[j];
  y[i] = acc;
}
__global__ void windowOk(const float *x, float *y, size_t n, int r) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= int(n))
    return;
  float acc = 0.0f;
  for (int j = max(i - r, 0); j < n && j <= i + r; ++j)
    acc += x[j];
  y[i] = acc;
}

// A scale from an array bounds nothing.
__global__ void requantBad(const int *acc, const float *scale, signed char *q, int cols) {
  for (int c = threadIdx.x; c < cols; c += blockDim.x) {
    const int v = __float2int_rn(float(acc[c]) * scale[c]);
    q[c] = v; // expect: review narrowing_store
  }
}

// An allocation counted in half of its elements.
void tableBad(size_t n) {
  long long *table = nullptr;
  cudaMalloc(&table, n * sizeof(int)); // expect: review sizeof_wrong_type
}
void pairsOk(size_t n) {
  long long *table = nullptr;
  float4 *quads = nullptr;
  cudaMalloc(&table, 2 * n * sizeof(int));
  cudaMalloc(&quads, n * sizeof(float));
}

// An index chosen among 70,000, in 16 bits.
__global__ void greedyBad(const float *x, unsigned short *token) {
  int best = 0;
  for (int c = 0; c < 70000; ++c)
    if (x[c] > x[best])
      best = c;
  token[threadIdx.x] = static_cast<unsigned short>(best); // expect: reject narrowing_store
}
__global__ void greedyFewOk(const float *x, unsigned short *token) {
  int best = 0;
  for (int c = 0; c < 50000; ++c)
    if (x[c] > x[best])
      best = c;
  token[threadIdx.x] = static_cast<unsigned short>(best);
}
__global__ void patternOk(unsigned char *p) {
  for (int c = 0; c < 1024; ++c)
    p[c] = static_cast<unsigned char>(c);
}

// Replicate padding on unsigned places: what lies before the start becomes the end.
__global__ void replicateBad(const float *x, float *y, unsigned len, unsigned pad) {
  const unsigned o = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned i = o - pad;
  if (i < 0) // expect: reject sign_compare_bug
    i = 0;
  if (i >= len)
    i = len - 1;
  y[o] = x[i];
}

// Locals with one constant value are known.
void knownLocalsOk(float **p) {
  int b = 32, m = 128, samples = 64, c = 64;
  cudaMalloc(p, b * m * samples * c * sizeof(float));
}

// The index steps by one in the other branch only: here every address is a multiple of 16.
__global__ void otherBranchOk(const float *x, float *y, int n) {
  int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
  if (i + 3 < n)
    *(float4 *)(y + i) = *(const float4 *)(x + i);
  else
    for (; i < n; ++i)
      y[i] = x[i];
}
void launchOtherBranch(const float *x, float *y, int n) { otherBranchOk<<<(n + 1023) / 1024, 256>>>(x, y, n); }

// The least of a warp is as wide as each lane's; a word that holds the byte; constants that wrap in the host.
__global__ void firstPlaceBad(const int *x, unsigned char *place, int what) {
  int found = 4095;
  for (int t = threadIdx.x; t < 4096; t += 32)
    if (x[t] == what) {
      found = t;
      break;
    }
  found = __reduce_min_sync(0xffffffffu, found);
  if (threadIdx.x == 0)
    place[blockIdx.x] = found; // expect: reject narrowing_store
}
__device__ void addByteOk(unsigned char *base, size_t at) {
  atomicAdd(reinterpret_cast<unsigned *>(base + (at & ~size_t(3))), 1u << (8u * unsigned(at & 3u)));
}
__global__ void votesOk(const int *x, unsigned char *votes) { addByteOk(votes, x[threadIdx.x]); }
static int cacheFloats(int layers, int batch, int seq, int dim) {
  return layers * batch * seq * dim; // expect: reject size_overflow
}
__global__ void clearOk(float *p, size_t n) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x)
    p[i] = 0.0f;
}
void makeCache(float *p, int *h) {
  for (int i = 0; i < 777777; ++i)
    h[i] = i * 7919 % 1009; // wraps, but is no size
  clearOk<<<1024, 256>>>(p, cacheFloats(40, 16, 8192, 1024));
}

// The low words of 64-bit counters, and every word as if it were one.
__global__ void countsBad(const int *x, long long *counts) {
  unsigned *slots = reinterpret_cast<unsigned *>(counts);
  atomicAdd(&slots[x[threadIdx.x]], 1u); // expect: reject atomic_width
}
__global__ void lowWordsOk(const int *x, long long *counts) {
  unsigned *slots = reinterpret_cast<unsigned *>(counts);
  atomicAdd(&slots[2 * x[threadIdx.x]], 1u);
}
__global__ void windowBad(const float *x, float *y, unsigned length, int window) {
  const int t = blockIdx.x;
  float sum = 0.0f;
  for (int s = t - window + 1; s < length && s <= t; ++s) // expect: reject sign_compare_bug
    if (s >= 0)
      sum += x[s];
  y[t] = sum;
}

// Three floats a point are no multiple of a packet, whatever the sizes are.
__global__ void radii(const float *xyz, float *r, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const size_t p = i;
    const float4 v = *reinterpret_cast<const float4 *>(xyz + 3 * p); // expect: reject misaligned_vector_cast
    r[i] = v.x * v.x + v.y * v.y + v.z * v.z;
  }
}
__global__ void radiiPadded(const float *xyzw, float *r, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const size_t p = i;
    const float4 v = *reinterpret_cast<const float4 *>(xyzw + 4 * p);
    r[i] = v.x * v.x + v.y * v.y + v.z * v.z;
  }
}
void launchRadii(const float *xyz, const float *xyzw, float *r, int n) {
  radii<<<64, 128>>>(xyz, r, n);
  radiiPadded<<<64, 128>>>(xyzw, r, n);
}

// Rows of 33 elements in shared memory: the second one begins beside the alignment of a packet.
template <int Pitch> __device__ void stage(float (*tile)[Pitch], const float *x) {
  const float4 v = *reinterpret_cast<const float4 *>(x + (blockIdx.x * 32 + threadIdx.y) * 32 + threadIdx.x * 4);
  *reinterpret_cast<float4 *>(&tile[threadIdx.y][threadIdx.x * 4]) = v; // expect: reject misaligned_vector_cast
}
__global__ void turned(const float *x, float *y) {
  __shared__ alignas(16) float tile[32][33];
  stage(tile, x);
  __syncthreads();
  y[(blockIdx.x * 32 + threadIdx.y) * 8 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
__global__ void turnedPadded(const float *x, float *y) {
  __shared__ alignas(16) float tile[32][36];
  const float4 v = *reinterpret_cast<const float4 *>(x + (blockIdx.x * 32 + threadIdx.y) * 32 + threadIdx.x * 4);
  *reinterpret_cast<float4 *>(&tile[threadIdx.y][threadIdx.x * 4]) = v;
  __syncthreads();
  y[(blockIdx.x * 32 + threadIdx.y) * 8 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
void launchTurned(const float *x, float *y, int tiles) {
  turned<<<tiles, dim3(8, 32)>>>(x, y);
  turnedPadded<<<tiles, dim3(8, 32)>>>(x, y);
}

// An array that is a parameter is a pointer.
__device__ float sumOfTileBad(const float tile[64]) {
  float s = 0;
  for (int k = 0; k < int(sizeof(tile) / sizeof(tile[0])); ++k) // expect: reject sizeof_wrong_type
    s += tile[k];
  return s;
}
__device__ void clearRowBad(float *row) {
  for (unsigned k = 0; k < sizeof(row) / sizeof(float); ++k) // expect: reject sizeof_wrong_type
    row[k] = 0;
}
template <int N> __device__ float sumOfArrayOk(const float (&tile)[N]) {
  float s = 0;
  for (int k = 0; k < int(sizeof(tile) / sizeof(tile[0])); ++k)
    s += tile[k];
  return s;
}
struct PointerPair {
  float *from, *to;
};
__device__ constexpr unsigned wordsOfPairOk() { return sizeof(PointerPair) / sizeof(float *); }
__global__ void sumsOfTiles(const float *x, float *y) {
  __shared__ float tile[64];
  float mine[4] = {x[0], x[1], x[2], x[3]};
  tile[threadIdx.x] = x[blockIdx.x * 64 + threadIdx.x] + wordsOfPairOk();
  __syncthreads();
  if (threadIdx.x == 0) {
    y[blockIdx.x] = sumOfTileBad(tile) + sumOfArrayOk(mine);
    clearRowBad(y + gridDim.x);
  }
}

// Fields of records are memory, too.
struct Sample {
  float score;
  int8_t code;
  uint16_t length;
};
__global__ void measureBad(const int *x, Sample *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  Sample *s = out + i;
  long long sum = 0;
  for (int k = 0; k < 4096; ++k)
    sum += (long long)x[k] * x[k + i];
  s->length = sum; // expect: reject narrowing_store
}
__global__ void encodeOk(const float *x, Sample *out, float inverse, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  out[i].code = max(-128, min(127, __float2int_rn(x[i] * inverse)));
  Sample local;
  local.code = 3;
  out[i].score = local.code;
}

// The difference is signed, the larger of it and 0u is not.
__global__ void windowsBad(const float *x, float *y, unsigned n, int radius) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= int(n))
    return;
  float s = 0;
  for (unsigned j = max(i - radius, 0u); j <= min(unsigned(i + radius), n - 1); ++j) // expect: reject sign_compare_bug
    s += x[j];
  y[i] = s;
}
__global__ void windowsOk(const float *x, float *y, unsigned n, int radius) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= int(n))
    return;
  float s = 0;
  for (unsigned j = max(i - radius, 0); j <= min(unsigned(i + radius), n - 1); ++j)
    s += x[j];
  y[i] = s;
}

// Keys of 64 bits where floats are.
__global__ void bestBad(const float *x, float *best, int cols) {
  unsigned long long key = (unsigned long long)(__float_as_uint(x[threadIdx.x])) << 32 | threadIdx.x;
  atomicMax(reinterpret_cast<unsigned long long *>(best) + blockIdx.x, key); // expect: review atomic_width
}
__global__ void bestOk(const float *x, unsigned long long *best, float2 *pairs, unsigned char *raw) {
  unsigned long long key = (unsigned long long)(__float_as_uint(x[threadIdx.x])) << 32 | threadIdx.x;
  atomicMax(best + blockIdx.x, key);
  atomicMax(reinterpret_cast<unsigned long long *>(pairs) + blockIdx.x, key);
  atomicMax(reinterpret_cast<unsigned long long *>(raw) + blockIdx.x, key);
}

// Columns counted in pairs: two words at once are meant. Where the index counts words they are not.
__global__ void packedRowsOk(const uint32_t *w, uint64_t *y, const int *rows, int width) {
  const uint64_t *w2 = (const uint64_t *)w;
  int pairs = width >> 1, c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= pairs)
    return;
  uint64_t all = 0;
  for (int k = 0; k < 8; ++k)
    all |= ((w2[rows[k] * pairs + c] >> 4) & 0x0000000f0000000full) << (4 * k);
  y[blockIdx.y * pairs + c] = all;
}
__global__ void packedRowsBad(const uint32_t *w, uint64_t *y, int width) {
  const uint64_t *w2 = (const uint64_t *)w; // expect: review pointer_width_mismatch
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c < width)
    y[blockIdx.y * width + c] = w2[blockIdx.y * width + c] + 1;
}

// Widened without its sign, a word is never below zero.
__global__ void insertBad(const unsigned *keys, unsigned *table, int n, unsigned mask) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const long long empty = -1;
  unsigned slot = keys[i] & mask;
  for (;;) {
    unsigned old = atomicCAS(&table[slot], 0xffffffffu, keys[i]);
    if (old == empty || old == keys[i]) // expect: reject sign_compare_bug
      return;
    slot = (slot + 1) & mask;
  }
}
__global__ void insertOk(const unsigned *keys, unsigned *table, int n, unsigned mask) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned slot = keys[i] & mask;
  for (;;) {
    unsigned old = atomicCAS(&table[slot], 0xffffffffu, keys[i]);
    if (old == -1 || old == keys[i]) // of one width: the same bits
      return;
    slot = (slot + 1) & mask;
  }
}
__global__ void markBad(const unsigned char *label, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && label[i] != 256) // expect: reject sign_compare_bug
    y[i] = 0;
}
__global__ void markOk(const unsigned char *label, const signed char *kind, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && label[i] != 255 && kind[i] != -1)
    y[i] = 0;
}
// What any caller's type may hold is not asked of one of them.
template <class T> __global__ void unlabelledOk(const T *label, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && label[i] != -1)
    y[i] = 0;
}
void launchUnlabelled(const unsigned char *label, float *y, int n) { unlabelledOk<<<(n + 255) / 256, 256>>>(label, y, n); }

// A window that begins at a difference.
__global__ void boxBad(const float *x, float *y, unsigned n, unsigned r) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float s = 0;
  for (unsigned k = i - r; k <= i + r; ++k) // expect: reject sign_compare_bug
    if (k >= 0 && k < n)
      s += x[k];
  y[i] = s;
}
__global__ void boxOk(const float *x, float *y, unsigned n, unsigned r) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float s = 0;
  for (unsigned k = i < r ? 0 : i - r; k <= i + r; ++k)
    if (k < n)
      s += x[k];
  y[i] = s;
}

// Turned in place, read before it is stored: no workspace.
__global__ void rotateBad(__half *q, const float2 *cs, int dim) {
  float *row = reinterpret_cast<float *>(q) + size_t(blockIdx.x) * dim; // expect: reject half_float_mismatch
  for (int i = threadIdx.x; i < dim / 2; i += blockDim.x) {
    float a = row[i], b = row[i + dim / 2];
    row[i] = a * cs[i].x - b * cs[i].y;
    row[i + dim / 2] = a * cs[i].y + b * cs[i].x;
  }
}

// One part of a dynamic block, behind the wider one.
__global__ void binsOk(const double *x, const int *bin, int *count, double *sum, int cols, int bins) {
  extern __shared__ double room[];
  int *c = (int *)(room + bins);
  for (int b = threadIdx.x; b < bins; b += blockDim.x) {
    c[b] = 0;
    room[b] = 0;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < cols; i += blockDim.x) {
    atomicAdd(&c[bin[i]], 1);
    atomicAdd(&room[bin[i]], x[i]);
  }
  __syncthreads();
  for (int b = threadIdx.x; b < bins; b += blockDim.x) {
    count[b] = c[b];
    sum[b] = room[b];
  }
}

// The place of the best of so many: the launcher says how many it lets through.
__global__ void bestOfManyBad(const float *gate, unsigned char *choice, int experts) {
  const float *row = gate + (size_t)blockIdx.x * experts;
  float best = -1e30f;
  int at = 0;
  for (int e = 0; e < experts; ++e)
    if (row[e] > best)
      best = row[e], at = e;
  if (threadIdx.x == 0)
    choice[blockIdx.x] = at; // expect: reject narrowing_store
}
__global__ void bestOfFewOk(const float *gate, unsigned char *choice, int experts) {
  const float *row = gate + (size_t)blockIdx.x * experts;
  float best = -1e30f;
  int at = 0;
  for (int e = 0; e < experts; ++e)
    if (row[e] > best)
      best = row[e], at = e;
  if (threadIdx.x == 0)
    choice[blockIdx.x] = at;
}
void launchBest(const float *gate, unsigned char *choice, int rows, int experts) {
  if (rows <= 0 || experts <= 0 || experts > 1024)
    return;
  bestOfManyBad<<<rows, 32>>>(gate, choice, experts);
}
void launchBestOfFew(const float *gate, unsigned char *choice, int rows, int experts) {
  if (rows <= 0 || experts <= 0 || experts > 256)
    return;
  bestOfFewOk<<<rows, 32>>>(gate, choice, experts);
}

__global__ void presentBad(const int *x, unsigned long long *words, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] > 0)
    atomicOr(&words[i / 64], (unsigned long long)(1 << (i % 64))); // expect: reject size_overflow
}
__global__ void presentOk(const int *x, unsigned long long *words, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] > 0)
    atomicOr(&words[i / 32], (unsigned long long)(1u << (i % 32)));
}
