// RUN: %kcheck_test %s
#include <cuda_runtime.h>

__device__ float warpSum(float v) {
  for (int o = 16; o > 0; o >>= 1)
    v += __shfl_xor_sync(0xffffffffu, v, o);
  return v;
}

__global__ void normBad(const float *x, float *norms, int cols) {
  float acc = 0.0f;
  for (int c = threadIdx.x; c < cols; c += 32)
    acc += x[blockIdx.x * cols + c] * x[blockIdx.x * cols + c];
  acc = warpSum(acc);
  if (threadIdx.x == 0)
    acc = sqrtf(acc); // expect: reject no_global_write
}

__global__ void rowsBad(const float *w, float *y, int k) {
  float result[4];
  for (int j = 0; j < 4; ++j) {
    float acc = 0.0f;
    for (int c = threadIdx.x; c < k; c += 32)
      acc += w[j * k + c];
    result[j] = warpSum(acc); // expect: reject result_kept_local
  }
}

struct Pair {
  float a, b;
};
__global__ void rotateBad(Pair *q) {
  Pair v = q[threadIdx.x];
  float a = v.a;
  v.a = a - v.b;
  v.b = a + v.b; // expect: reject result_kept_local
}

__device__ void putByValueBad(float to, float v) { to = v; } // expect: reject no_global_write
__global__ void byValue(const float *x, float *y) {
  putByValueBad(y[threadIdx.x], x[threadIdx.x]);
}

__global__ void rangeBad(const float *x, float *scales) {
  __shared__ float result[4];
  float m = warpSum(x[threadIdx.x]);
  if (threadIdx.x % 32 == 0)
    result[threadIdx.x / 32] = m; // expect: reject write_to_shared_only
  __syncthreads();
}

__global__ void laneBad(const float *x, float *out) {
  const int lane = threadIdx.x & 31;
  float s = warpSum(x[threadIdx.x]);
  if (lane == 32) // expect: reject store_unreachable
    out[blockIdx.x] = s;
}
void launchLane(const float *x, float *out, int rows) { laneBad<<<rows, 128>>>(x, out); }

__global__ void clipBad(const float *x, float *out, float cap, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = x[0];
  if (s > cap) {
    s = cap;
    return;
  } else {
    return;
  }
  out[i] = s * x[i]; // expect: reject store_unreachable
}

__device__ void declaredElsewhere(float *p, float v);
__global__ void unseenBad(const float *x, float *out) {
  declaredElsewhere(out + threadIdx.x, x[threadIdx.x]); // expect: review no_global_write
}

// Everything below writes.
__device__ float state[64];
__device__ void put(float &to, float v) { to = v; }
template <class T> __device__ void putAt(T *p, int i, T v) { p[i] = v; }
struct View {
  float *p;
  __device__ float &at(int i) { return p[i]; }
};
struct Store {
  float *p;
  __device__ void operator()(int i, float v) const { p[i] = v; }
};
struct Proxy {
  float *p;
  __device__ Proxy &operator=(float v) {
    *p = v;
    return *this;
  }
};
struct Iterator {
  float *p;
  __device__ Proxy operator*() const { return {p}; }
};

__global__ void referenceOk(float *y) { put(y[threadIdx.x], 1.0f); }
__global__ void pointerOk(float *y) { putAt(y, threadIdx.x, 1.0f); }
__global__ void viewOk(View v) { v.at(threadIdx.x) = 1.0f; }
__global__ void functorOk(Store s) { s(threadIdx.x, 1.0f); }
__global__ void proxyOk(Iterator it) { *it = 1.0f; }
__global__ void lambdaOk(float *y) {
  auto f = [=](int i) { y[i] = 2.0f; };
  f(threadIdx.x);
}
__global__ void symbolOk(const float *x) { state[threadIdx.x] = x[threadIdx.x]; }
__global__ void atomicOk(unsigned *bins) { atomicAdd(&bins[threadIdx.x], 1u); }
__global__ void asmOk(float *y) { asm volatile("st.global.f32 [%0], %1;" ::"l"(y), "f"(1.0f)); }
__global__ void walkOk(float *y, int n) {
  float *p = y + threadIdx.x;
  for (int i = 0; i < n; ++i)
    *p++ = 0.0f;
}
__global__ void streamOk(float *y) { __stcs(y + threadIdx.x, 0.0f); }
template <class T> __global__ void neverMadeOk(T *y) { putAt(y, threadIdx.x, T(1)); }
__global__ void modeOk(float *y, int mode) {
  if (mode == 77)
    y[threadIdx.x] = 0.0f;
}
void launchMode(float *y, int mode) { modeOk<<<1, 64>>>(y, mode); }
__global__ void nothingToWriteOk(int cycles) {
  for (int i = 0; i < cycles; ++i)
    __syncthreads();
}

// One block is launched, and none has the number of blocks as its own.
__global__ void lastOfOneBad(const float *x, float *y) {
  float v = x[threadIdx.x] * 2.0f;
  if (blockIdx.x == gridDim.x && threadIdx.x == 0) // expect: reject store_unreachable
    *y = v;
}
__global__ void lastOfOneOk(const float *x, float *y) {
  float v = x[threadIdx.x] * 2.0f;
  if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0)
    *y = v;
}
void launchLast(const float *x, float *y) {
  lastOfOneBad<<<1, 128>>>(x, y);
  lastOfOneOk<<<1, 128>>>(x, y);
}

// Sums that start from whatever the register held.
__global__ void rowSumsBad(const float *x, float *y, int rows, int cols) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows)
    return;
  float sum;
  for (int c = 0; c < cols; ++c)
    sum += x[c * rows + r]; // expect: reject uninitialised_read
  y[r] = sum;
}
__global__ void pairSumsBad(const float *x, float *y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float acc[2];
  for (int k = 0; k < 8; ++k)
    acc[k & 1] += x[k * n + i]; // expect: reject uninitialised_read
  y[i] = acc[0] * acc[1];
}
__device__ void fill(float &to, float v) { to = v; }
__global__ void filledLaterOk(const float *x, float *y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float a, b[2], c;
  fill(a, x[i]);
  b[n & 1] = a;
  b[1 - (n & 1)] = 1.0f;
  if (n > 5)
    c = 1.0f;
  else
    c = 2.0f;
  unsigned lane;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
  float4 v = make_float4(a, a, a, a), w;
  w = v;
  y[i] = a + b[0] + b[1] + c + lane + w.x;
}
void launchSums(const float *x, float *y, int rows, int cols) { rowSumsBad<<<(rows + 127) / 128, 128>>>(x, y, rows, cols); }
void launchPairs(const float *x, float *y, int n) {
  pairSumsBad<<<(n + 127) / 128, 128>>>(x, y, n);
  filledLaterOk<<<(n + 127) / 128, 128>>>(x, y, n);
}

// The last block leaves some of the array as it was, and adds it.
__global__ void partSumBad(const float *x, float *y, int n) {
  __shared__ float part[256];
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n)
    part[threadIdx.x] = x[i];
  __syncthreads();
  for (int h = 128; h > 0; h >>= 1) {
    if (threadIdx.x < h)
      part[threadIdx.x] += part[threadIdx.x + h]; // expect: review uninitialised_read
    __syncthreads();
  }
  if (threadIdx.x == 0)
    y[blockIdx.x] = part[0];
}
// Threads past the end read along and store nothing; the others read what was stored.
__global__ void tiledOk(const float *a, const float *b, float *c, int n, int k) {
  __shared__ float tile[16][16];
  int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < k; t += 16) {
    if (row < n)
      tile[threadIdx.y][threadIdx.x] = t + threadIdx.x < k ? a[row * k + t + threadIdx.x] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int j = 0; j < 16; ++j)
      sum += tile[threadIdx.y][j] * b[j];
    __syncthreads();
  }
  if (row < n && column < n)
    c[row * n + column] = sum;
}
void launchSums(const float *x, float *y, const float *b, float *c, int n, int k) {
  partSumBad<<<(n + 255) / 256, 256>>>(x, y, n);
  tiledOk<<<dim3((n + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(x, b, c, n, k);
}

// Results that go nowhere, of kernels that write something else.
__global__ void extentBad(const float4 *x, float2 *extent, unsigned *next, unsigned tiles) {
  __shared__ unsigned tile;
  float lo = 1e30f, hi = -1e30f;
  for (;;) {
    if (threadIdx.x == 0)
      tile = atomicAdd(next, 1u);
    __syncthreads();
    unsigned mine = tile;
    __syncthreads();
    if (mine >= tiles)
      return;
    lo = fminf(lo, x[mine * 256 + threadIdx.x].x);
    hi = fmaxf(hi, x[mine * 256 + threadIdx.x].x);
  }
  extent[blockIdx.x * 256 + threadIdx.x] = make_float2(lo, hi); // expect: reject store_unreachable
}
__global__ void extentGood(const float4 *x, float2 *extent, unsigned *next, unsigned tiles) {
  __shared__ unsigned tile;
  float lo = 1e30f, hi = -1e30f;
  for (;;) {
    if (threadIdx.x == 0)
      tile = atomicAdd(next, 1u);
    __syncthreads();
    unsigned mine = tile;
    __syncthreads();
    if (mine >= tiles)
      break;
    lo = fminf(lo, x[mine * 256 + threadIdx.x].x);
    hi = fmaxf(hi, x[mine * 256 + threadIdx.x].x);
  }
  extent[blockIdx.x * 256 + threadIdx.x] = make_float2(lo, hi);
}
__global__ void bestBad(const int *x, int n, int best) {
  int top = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    top = max(top, x[i]);
  if (threadIdx.x == 0)
    best = top; // expect: reject result_kept_local
}
__global__ void bloomBad(const unsigned *keys, unsigned *bits, unsigned words, int *inserted, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const unsigned word = (keys[i] >> 5) % words;
  if (word >= words) // expect: reject store_unreachable
    atomicOr(&bits[word], 1u << (keys[i] & 31u));
  inserted[i] = 1;
}
__global__ void bloomGood(const unsigned *keys, unsigned *bits, unsigned words, int *inserted, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const unsigned word = (keys[i] >> 5) % words;
  if (word > words / 2)
    atomicOr(&bits[word], 1u << (keys[i] & 31u));
  n = min(n, 4); // its own copy, which is read
  inserted[i] = n;
}

// A loop over fewer rounds than one.
constexpr int Packet = 4;
__global__ void depthsBad(const float4 *x, float4 *z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  const float4 d = x[i];
  for (int k = 0; k < Packet / 8; ++k) // expect: reject store_unreachable
    z[i + k] = d;
}
__global__ void depthsGood(const float *x, float *z, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  for (int k = 0; k < Packet / 8; ++k) // whole packets of eight, of which there are none
    z[Packet * i + k] = x[Packet * i + k];
  for (int k = Packet / 8 * 8; k < Packet; ++k)
    z[Packet * i + k] = x[Packet * i + k];
}

// The loop, or the exit above, says the opposite.
__global__ void loopContradictsBad(const float *x, float *y, int cols) {
  for (int c = threadIdx.x; c < cols; c += 128) {
    if (c >= cols) // expect: reject store_unreachable
      y[blockIdx.x * cols + c] = x[blockIdx.x * cols + c];
  }
}
void launchLoopContradicts(const float *x, float *y, int rows, int cols) {
  loopContradictsBad<<<rows, 128>>>(x, y, cols); // expect: reject coverage_mismatch
}
__global__ void exitContradictsBad(const float *x, float *y, int w, int h) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y;
  if (c >= w || r >= h)
    return;
  if (c >= w) // expect: reject store_unreachable
    y[r * w + c] = x[r * w + c];
}
void launchExitContradicts(const float *x, float *y, int w, int h) {
  exitContradictsBad<<<dim3((w + 255) / 256, h), 256>>>(x, y, w, h); // expect: reject coverage_mismatch
}
// It moves on in between.
__global__ void movesOn(const float *x, float *y, int n) {
  for (int c = threadIdx.x; c < n; c += 128) {
    c += 1;
    if (c >= n)
      y[blockIdx.x] = x[blockIdx.x]; // expect: review scalar_access
  }
}
void launchMovesOn(const float *x, float *y, int n) { movesOn<<<64, 128>>>(x, y, n); }

// More bins than threads: those beyond the block are never cleared.
__global__ void binsBad(const unsigned char *x, unsigned *count, int n) {
  __shared__ unsigned bins[256];
  if (threadIdx.x < 256)
    bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&bins[x[i]], 1u); // expect: review uninitialised_read
  __syncthreads();
  if (threadIdx.x < 256)
    atomicAdd(&count[threadIdx.x], bins[threadIdx.x]);
}
__global__ void binsOk(const unsigned char *x, unsigned *count, int n) {
  __shared__ unsigned bins[256];
  for (int b = threadIdx.x; b < 256; b += blockDim.x)
    bins[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&bins[x[i]], 1u);
  __syncthreads();
  for (int b = threadIdx.x; b < 256; b += blockDim.x)
    atomicAdd(&count[b], bins[b]);
}
void launchBins(const unsigned char *x, unsigned *count, int n) {
  binsBad<<<64, 128>>>(x, count, n);
  binsOk<<<64, 128>>>(x, count, n);
}

// All blocks add up a row, and one stores its sum.
__device__ float sumOfRow(const float *row, int n) {
  float s = 0;
  for (int i = threadIdx.x; i < n; i += 32)
    s += row[i];
  for (int o = 16; o > 0; o /= 2)
    s += __shfl_xor_sync(0xffffffffu, s, o);
  return s;
}
__global__ void firstRowBad(const float *x, float *y, int n) {
  float s = sumOfRow(x + (size_t)blockIdx.x * n, n);
  if (threadIdx.x == 0 && blockIdx.x == 0)
    y[blockIdx.x] = s; // expect: reject result_kept_local
}
__global__ void eachRowOk(const float *x, float *y, int n) {
  float s = sumOfRow(x + (size_t)blockIdx.x * n, n);
  if (threadIdx.x == 0)
    y[blockIdx.x] = s;
}
__global__ void largeOnesOk(const float *x, float *y, int n) {
  float s = sumOfRow(x + (size_t)blockIdx.x * n, n);
  if (threadIdx.x == 0 && (blockIdx.x == 0 || s > 1.0f))
    y[blockIdx.x] = s;
}
void launchRows(const float *x, float *y, int rows, int n) {
  firstRowBad<<<rows, 32>>>(x, y, n);
  eachRowOk<<<rows, 32>>>(x, y, n);
  largeOnesOk<<<rows, 32>>>(x, y, n);
}

// Copies that a helper changes by reference.
__device__ void step(float &p, float &m, float g) {
  p -= 0.1f * m;
  m = 0.9f * m + 0.1f * g;
}
__global__ void stepBad(float2 *param, float2 *mom, const float2 *grad, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  auto p = param[i];
  auto m = mom[i];
  step(p.x, m.x, grad[i].x);
  step(p.y, m.y, grad[i].y); // expect: reject no_global_write
}
__global__ void stepOk(float2 *param, float2 *mom, const float2 *grad, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  auto &p = param[i];
  auto &m = mom[i];
  step(p.x, m.x, grad[i].x);
  step(p.y, m.y, grad[i].y);
}
