// RUN: %kcheck_test --rules macro %s
// An expectation stands at the macro's definition where the macro is at fault, and at the use where the use is.

#define SQ(x) x * x // expect: reject macro_unparenthesised
__global__ void squares(float *d, const float *a, const float *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    d[i] = SQ(a[i] - b[i]);
}

#define CEIL_DIV(a, b) (((a) + (b) - 1) / b) // expect: reject macro_unparenthesised
int blocksFor(int n, int threads) { return CEIL_DIV(n, 4 * threads); }

#define PITCH 32 + 1 // expect: reject macro_unparenthesised
__global__ void pitched(float *d, const float *a) {
  d[threadIdx.x * PITCH + threadIdx.y] = a[threadIdx.x];
}

#define LARGER(a, b) (a) > (b) ? (a) : (b) // expect: reject macro_unparenthesised
__global__ void larger(float *d, float lo, float bias) {
  d[threadIdx.x] = LARGER(d[threadIdx.x], lo) + bias;
}

#define STEP(p, q) p = q; q = 0.0f;
__global__ void steps(float *d, int n) {
  float p = d[0], q = d[1];
  if (n > 3)
    STEP(p, q) // expect: reject macro_unparenthesised
  d[2] = p + q;
}

#define MUL(a, b) a * b
#define SHIFTED base + off
__global__ void tornWithoutHarmOk(float *d, const float *a, int base, int off, int k) {
  d[k + SHIFTED] = 2.0f * MUL(a[0], a[1]);
}

#define IDX(r, c, w) ((r) * (w) + (c))
#define AND &&
#define PLUS_ONE +1
__global__ void parenthesisedOk(float *d, const float *a, int w, int h) {
  int x = threadIdx.x, y = threadIdx.y;
  if (x < w AND y < h)
    d[IDX(y PLUS_ONE, x - 1, w)] = a[IDX(y, x, w)];
}

#define MAXF(a, b) ((a) > (b) ? (a) : (b))
__global__ void movesTwiceBad(float *d, const float *p) {
  float best = *p++;
  best = MAXF(best, *p++); // expect: reject macro_side_effect
  d[0] = best;
}

__global__ void countsTwiceBad(int *list, int *count, int cap) {
  int slot = MAXF(atomicAdd(count, 1), cap); // expect: reject macro_side_effect
  list[slot] = 1;
}

#define PICK(c, x) do { if (c) list[0] = (x); else list[1] = (x); } while (0)
#define SIZED(x) (sizeof(x) + (x))
#define TWICE(s) s s
#define TWO(s) s; s
#define FOUR(s) TWO(s); TWO(s)
__global__ void evaluatedOnceOk(int *list, int n, float *d, const float *p) {
  PICK(n > 2, n++);
  list[2] = SIZED(n++);
  TWICE(list[3] += n;)
  FOUR(list[4] = list[4] * n + 1);
  d[0] = MAXF(p[0], p[n + 1]);
}

#define SWAP(a, b) do { float tmp = (a); (a) = (b); (b) = tmp; } while (0)
__global__ void swapsNothingBad(float *d) {
  float lo = d[0], tmp = d[1];
  SWAP(lo, tmp); // expect: reject macro_shadows_local
  d[0] = lo, d[1] = tmp;
}
__global__ void swapsOk(float *d) {
  float lo = d[0], hi = d[1];
  SWAP(lo, hi);
  d[0] = lo, d[1] = hi;
}

#define FOR_TAPS for (int i = 0; i < 5; ++i)
#define LOOP(i, n) for (int i = 0; i < (n); ++i)
__global__ void hidesTheIndexBad(float *d, const float *x) {
  int i = threadIdx.x;
  float acc = 0;
  FOR_TAPS acc += x[i]; // expect: review macro_shadows_local
  d[i] = acc;
}
__global__ void namesItsIndex(float *d, const float *x) {
  float acc = 0;
  LOOP(k, 5) acc += x[k];
  FOR_TAPS acc += x[i];
  d[threadIdx.x] = acc;
}

#define BLOCK 256
__global__ void blocks(float *d) { d[blockIdx.x * BLOCK + threadIdx.x] = 0.0f; }
#define BLOCK 128 // expect: reject macro_redefined
void launchBlocks(float *d, int n) { blocks<<<n / BLOCK, BLOCK>>>(d); }

#define VEC 4
__global__ void vectors(float *d) { d[(blockIdx.x * blockDim.x + threadIdx.x) * VEC] = 1.0f; }
#undef VEC
#define VEC 8 // expect: reject macro_undef_reuse
void launchVectors(float *d, int n) {
  int packs = n / VEC;
  vectors<<<packs / 256, 256>>>(d);
}

#define LD 64
#define AT(r, c) ((r) * LD + (c))
__global__ void rows64(float *d) { d[AT(blockIdx.x, threadIdx.x)] = 1.0f; }
#undef LD
#define LD 40 // expect: review macro_undef_reuse
__global__ void rows40(float *d) { d[AT(blockIdx.x, threadIdx.x)] = 2.0f; }

// Each kernel is launched with the tile that it was compiled with.
#define TILE 32
__global__ void tile32(float *d) { d[blockIdx.x * TILE + threadIdx.x] = 1.0f; }
static void run32(float *d, int n) { tile32<<<n / TILE, TILE>>>(d); }
#undef TILE
#define TILE 16
__global__ void tile16(float *d) { d[blockIdx.x * TILE + threadIdx.x] = 2.0f; }
void launchTiles(float *d, int n) {
  run32(d, n);
  tile16<<<n / TILE, TILE>>>(d);
}
#undef TILE

#define OPS(X) X(relu, 0.0f) X(half, 0.5f)
#define X(name, k) __global__ void name##_kernel(float *d) { d[threadIdx.x] *= k; }
OPS(X)
#undef X
void launchOps(float *d, int op) {
  switch (op) {
#define X(name, k) case __COUNTER__: name##_kernel<<<1, 32>>>(d); break;
    OPS(X)
#undef X
  }
}

#define TAIL 1
#if TAIL
#define TAIL_BLOCKS 1
#endif
#undef TAIL
#if TAIL // expect: review macro_undef_reuse
__global__ void tail(float *d) {}
#endif

// A lambda that a dispatch macro names in each of its branches runs once.
#define BY_WIDTH_OK(width, ...) \
  [&] { \
    if (width == 32) { constexpr int Width = 32; return __VA_ARGS__(); } \
    if (width == 64) { constexpr int Width = 64; return __VA_ARGS__(); } \
  }()
template <int W> __global__ void ofWidth(float *y) { y[blockIdx.x * W + threadIdx.x] = 1.0f; }
void launchOfWidthOk(float *y, int width, int n) {
  BY_WIDTH_OK(width, [&] { ofWidth<Width><<<n, Width>>>(y); });
}

// Statements that stand in each case of a switch, without a semicolon of their own, run once.
#define BY_CASE_OK(width, ...) \
  switch (width) { \
  case 32: { constexpr int Width = 32; __VA_ARGS__ break; } \
  case 64: { constexpr int Width = 64; __VA_ARGS__ break; } \
  default: break; \
  }
void launchOfCaseOk(float *y, int *launches, int width, int n) {
  BY_CASE_OK(width, { ++*launches; ofWidth<Width><<<n, Width>>>(y); })
}

// A word that begins a statement behind the macro's parameter takes nothing from an operand before it.
#define LARGER_IN_CASE(width, y, ...) \
  switch (width) { \
  case 32: y = MAXF(__VA_ARGS__); break; \
  default: break; \
  }
void largerInCaseBad(float *y, const float *p, int width) {
  LARGER_IN_CASE(width, y[0], y[0], *p++) // expect: reject macro_side_effect
}

// A division that takes the last term alone.
#define TILES_ROUNDED(n) (n) + 31 / 32 // expect: reject macro_unparenthesised
#define TILES_OF(n) (((n) + 31) / 32)
#define SIDE 16
#define SIDES_ROUNDED(n) ((n) + SIDE - 1 / SIDE) // expect: reject macro_unparenthesised
#define HALF_OPEN(n) ((n) + 64 / 32)
void roundings(int n, int *out) {
  out[0] = TILES_ROUNDED(n);
  out[1] = TILES_OF(n);
  out[2] = SIDES_ROUNDED(n);
  out[3] = HALF_OPEN(n);
}

// An exchange between lanes that a macro repeats in a branch.
__device__ float largestRepeated(float v) {
  for (int o = 16; o > 0; o >>= 1)
    v = MAXF(v, __shfl_xor_sync(0xffffffffu, v, o)); // expect: reject macro_side_effect
  return v;
}
#define SQUARED(x) ((x) * (x))
__device__ float largestOk(float v) {
  for (int o = 16; o > 0; o >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffu, v, o);
    v = MAXF(v, other);
  }
  return v + SQUARED(__shfl_sync(0xffffffffu, v, 0)); // twice the same, by all lanes
}
__global__ void largest(float *d) { d[threadIdx.x] = largestRepeated(d[threadIdx.x]) + largestOk(d[threadIdx.x]); }

// Rows of one length are written, rows of another are read. How a kernel splits its work is its own affair.
#define ROW 33
#define SPAN 64
__global__ void writesRows(const float *x, float *rows, float *flat, int n) {
  if (int(blockIdx.x) < n && threadIdx.x < 32)
    rows[blockIdx.x * ROW + threadIdx.x] = x[blockIdx.x * 32 + threadIdx.x];
  flat[blockIdx.x * SPAN + threadIdx.x] = 1;
}
#undef ROW
#undef SPAN
#define ROW 32 // expect: review macro_undef_reuse
#define SPAN 128
__global__ void readsRows(const float *rows, const float *flat, float *y, int n) {
  const int r = blockIdx.x * SPAN + threadIdx.x;
  if (r >= n)
    return;
  float s = flat[r];
  for (int c = 0; c < 32; ++c)
    s += rows[r * ROW + c];
  y[r] = s;
}
void launchRows(const float *x, float *rows, float *flat, float *y, int n) {
  writesRows<<<n, 64>>>(x, rows, flat, n);
  readsRows<<<(n + 127) / 128, 128>>>(rows, flat, y, n);
}
