// RUN: %kcheck_test --rules=index-space %s
#include <cstdio>
#include <cuda_runtime.h>

__global__ void strideBad(const float *x, float *y, int n) {
  int i = threadIdx.x * blockDim.x + threadIdx.x; // expect: reject wrong_index_formula
  if (i < n)
    y[i] = x[i];
}
void launchStride(const float *x, float *y, int n) { strideBad<<<(n + 255) / 256, 256>>>(x, y, n); }

__global__ void scaleOk(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = 2.0f * x[i];
}
void launchScale(const float *x, float *y, int n) { scaleOk<<<(n + 255) / 256, 256>>>(x, y, n); }
void launchFloorBad(const float *x, float *y, int n) {
  scaleOk<<<n / 256, 256>>>(x, y, n); // expect: reject tail_not_covered
}
void launchSwappedBad(const float *x, float *y, int n) {
  scaleOk<<<256, (n + 255) / 256>>>(x, y, n); // expect: launch_args_swapped
}
void launchHugeBlockBad(const float *x, float *y, int n) {
  scaleOk<<<(n + 2047) / 2048, 2048>>>(x, y, n); // expect: reject block_too_large
}
void launchTwiceBad(const float *x, float *y, int n) {
  scaleOk<<<n, 256>>>(x, y, n); // expect: coverage_mismatch
}

__global__ void unguardedBad(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = 2.0f * x[i]; // expect: reject missing_bounds_guard
}
void launchUnguarded(const float *x, float *y, int n) { unguardedBad<<<(n + 255) / 256, 256>>>(x, y, n); }

// The launch covers the data exactly.
__global__ void exactOk(const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = 2.0f * x[i];
}
void launchExact(const float *x, float *y, int rows) { exactOk<<<rows, 128>>>(x, y); }

__global__ void oneTooManyBad(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) // expect@+1: reject guard_off_by_one
    y[i] = x[i];
}
void launchOneTooMany(const float *x, float *y, int n) { oneTooManyBad<<<(n + 255) / 256, 256>>>(x, y, n); }

__global__ void gridStrideOk(const float *x, float *y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    y[i] = x[i];
}
void launchGridStride(const float *x, float *y, int n) { gridStrideOk<<<64, 256>>>(x, y, n); }

__global__ void blockStrideBad(const float *x, float *y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x) // expect: reject wrong_stride
    y[i] = x[i]; // expect: review wrong_stride
}
void launchBlockStride(const float *x, float *y, int n) { blockStrideBad<<<64, 256>>>(x, y, n); }

__global__ void imageOk(const float *in, float *out, int w, int h) {
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (c < w && r < h)
    out[r * w + c] = in[r * w + c];
}
void launchImage(const float *in, float *out, int w, int h) {
  imageOk<<<dim3((w + 15) / 16, (h + 15) / 16), dim3(16, 16)>>>(in, out, w, h);
}
void launchFlatBad(const float *in, float *out, int w, int h) {
  imageOk<<<(w + 15) / 16, dim3(16, 16)>>>(in, out, w, h); // expect: reject dimension_mismatch
}

// A block a row, threads walk the columns.
__global__ void rowOk(const float *x, float *y, int cols) {
  for (int c = threadIdx.x; c < cols; c += blockDim.x)
    y[size_t(blockIdx.x) * cols + c] = x[size_t(blockIdx.x) * cols + c];
}
void launchRow(const float *x, float *y, int rows, int cols) { rowOk<<<rows, 256>>>(x, y, cols); }

// Vectors of four and the rest.
__global__ void vectorsOk(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / 4)
    reinterpret_cast<float4 *>(y)[i] = reinterpret_cast<const float4 *>(x)[i];
  if (i < n % 4)
    y[n / 4 * 4 + i] = x[n / 4 * 4 + i];
}
void launchVectors(const float *x, float *y, int n) { vectorsOk<<<(n / 4 + 255) / 256 + 1, 256>>>(x, y, n); }
__global__ void noRest(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / 4)
    reinterpret_cast<float4 *>(y)[i] = reinterpret_cast<const float4 *>(x)[i];
}
void launchNoRestBad(const float *x, float *y, int n) {
  noRest<<<(n / 4 + 255) / 256, 256>>>(x, y, n); // expect: reject tail_not_covered
}

// What a kernel leaves by its own rule is no tail: the border of a stencil, the odd row of a pooling, a sample without
// a predecessor, every second element.
__global__ void laplaceOk(const float *in, float *out, int w, int h) {
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (c >= 1 && c < w - 1 && r >= 1 && r < h - 1)
    out[r * w + c] = in[r * w + c - 1] + in[r * w + c + 1] + in[(r - 1) * w + c] + in[(r + 1) * w + c] - 4.0f * in[r * w + c];
}
void launchLaplace(const float *in, float *out, int w, int h) {
  laplaceOk<<<dim3((w + 31) / 32, (h + 7) / 8), dim3(32, 8)>>>(in, out, w, h);
}
__global__ void poolOk(const float *x, float *y, int h, int w) {
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r >= h / 2 || c >= w / 2)
    return;
  const float *p = x + 2 * r * w + 2 * c;
  y[r * (w / 2) + c] = fmaxf(fmaxf(p[0], p[1]), fmaxf(p[w], p[w + 1]));
}
void launchPool(const float *x, float *y, int h, int w) {
  poolOk<<<dim3((w / 2 + 15) / 16, (h / 2 + 15) / 16), dim3(16, 16)>>>(x, y, h, w);
}
__global__ void differenceOk(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n)
    y[i] = x[i] - x[i - 1];
}
void launchDifference(const float *x, float *y, int n) { differenceOk<<<(n + 255) / 256, 256>>>(x, y, n); }
__global__ void evenOk(float *a, int n) {
  int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i < n)
    a[i] = 0.0f;
}
void launchEven(float *a, int n) { evenOk<<<((n + 1) / 2 + 127) / 128, 128>>>(a, n); }

// Threads to spare repeat the last element.
__global__ void clampedOk(const float *x, float *y, int n) {
  const int i = min(int(blockIdx.x * blockDim.x + threadIdx.x), n - 1);
  y[i] = 2.0f * x[i];
}
void launchClamped(const float *x, float *y, int n) { clampedOk<<<(n + 191) / 192, 192>>>(x, y, n); }

// The kernel's loop takes any block; the rows went there.
__global__ void gainOk(const float *x, const float *gain, float *y, int cols) {
  for (int c = threadIdx.x; c < cols; c += blockDim.x)
    y[size_t(blockIdx.x) * cols + c] = gain[blockIdx.x] * x[size_t(blockIdx.x) * cols + c];
}
void launchGain(const float *x, const float *gain, float *y, int rows, int cols) { gainOk<<<rows, 256>>>(x, gain, y, cols); }
void launchGainBad(const float *x, const float *gain, float *y, int rows, int cols) {
  gainOk<<<256, rows>>>(x, gain, y, cols); // expect: review launch_args_swapped
}

// A pitch is at least a row's length, in whatever unit.
__global__ void pitchedOk(unsigned char *surface, int width, int height, size_t pitch) {
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (c >= width || r >= height)
    return;
  float *p = (float *)(surface + r * pitch) + 4 * c;
  p[0] += 1.0f;
  p[3] = 1.0f;
}
void launchPitched(unsigned char *s, int width, int height, size_t pitch) {
  pitchedOk<<<dim3((width + 15) / 16, (height + 15) / 16), dim3(16, 16)>>>(s, width, height, pitch);
}

// 192 threads a block: no power of two fits them.
__global__ void gatherBad(const float *table, const int *ids, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > n)
    return;
  y[i] = table[ids[i]]; // expect: reject guard_off_by_one
}
void launchGather(const float *table, const int *ids, float *y, int n) { gatherBad<<<(n + 191) / 192, 192>>>(table, ids, y, n); }
__global__ void wideRowsOk(const float *x, float *y, int width) {
  int c = blockIdx.x * 48 + threadIdx.x;
  y[size_t(blockIdx.y) * width + c] = x[size_t(blockIdx.y) * width + c];
}
bool launchWideRows(const float *x, float *y, int width, int rows) {
  if (width % 48 || rows > 65535)
    return false;
  wideRowsOk<<<dim3(width / 48, rows), 48>>>(x, y, width);
  return true;
}

// Rows are numbered by threads that no block has.
__global__ void flatBlock(const float *x, float *y, int w, int h) {
  const int c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y * 16 + threadIdx.y;
  if (c < w && r < h)
    y[size_t(r) * w + c] = 2.0f * x[size_t(r) * w + c];
}
void launchFlatBlockBad(const float *x, float *y, int w, int h) {
  flatBlock<<<dim3((w + 15) / 16, (h + 15) / 16), 16>>>(x, y, w, h); // expect: reject dimension_mismatch
}
__global__ void rowsOfBlocksOk(const float *x, float *y, int w) {
  const int c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y + threadIdx.y;
  if (c < w)
    y[size_t(r) * w + c] = 2.0f * x[size_t(r) * w + c];
}
void launchRowsOfBlocks(const float *x, float *y, int w, int h) { rowsOfBlocksOk<<<dim3((w + 15) / 16, h), 16>>>(x, y, w); }

__global__ void mixedAxesBad(const float *x, float *y, int rows, int cols) {
  const int r = blockIdx.x * blockDim.x + threadIdx.y; // expect: reject wrong_index_formula
  if (r >= rows)
    return;
  for (int c = threadIdx.x; c < cols; c += 32)
    y[size_t(r) * cols + c] = x[size_t(r) * cols + c];
}
void launchMixedAxes(const float *x, float *y, int rows, int cols) { mixedAxesBad<<<(rows + 3) / 4, dim3(32, 4)>>>(x, y, rows, cols); }

// The launcher lets 100,000 through: their square does not fit 32 bits.
__global__ void pairsBad(const float *x, float *d, int n) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < n && j < n)
    d[i * n + j] = x[i] - x[j]; // expect: reject index_overflow_32
}
void launchPairs(const float *x, float *d, int n) {
  if (n <= 0 || n > 100000)
    return;
  pairsBad<<<dim3((n + 31) / 32, (n + 7) / 8), dim3(32, 8)>>>(x, d, n);
}
__global__ void fewPairsOk(const float *x, float *d, int n) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < n && j < n)
    d[i * n + j] = x[i] - x[j];
}
void launchFewPairs(const float *x, float *d, int n) {
  if (n <= 0 || n > 10000)
    return;
  fewPairsOk<<<dim3((n + 31) / 32, (n + 7) / 8), dim3(32, 8)>>>(x, d, n);
}

// A picture made smaller leaves its last rows out: no further block would read them.
__global__ void shrinkOk(const float *x, float *y, int ih, int iw, int oh, int ow, float sy, float sx) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (c >= ow || r >= oh)
    return;
  const int y0 = min(int(fmaxf((r + 0.5f) * sy - 0.5f, 0.0f)), ih - 1), x0 = min(int(fmaxf((c + 0.5f) * sx - 0.5f, 0.0f)), iw - 1);
  y[(size_t(blockIdx.z) * oh + r) * ow + c] = x[(size_t(blockIdx.z) * ih + y0) * iw + x0];
}
void launchShrink(const float *x, float *y, int planes, int ih, int iw, int oh, int ow) {
  if (planes > 0 && planes <= 65535)
    shrinkOk<<<dim3((ow + 31) / 32, (oh + 7) / 8, planes), dim3(32, 8)>>>(x, y, ih, iw, oh, ow, float(ih) / oh, float(iw) / ow);
}

// Sizes in a dim3 are sizes, a dim3 for the launch is the caller's.
__global__ void scaleRowsOfBad(const float *x, float *y, int w) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  y[size_t(blockIdx.y) * w + c] = 2.0f * x[size_t(blockIdx.y) * w + c]; // expect: review wrong_index_formula
}
void launchDims(const float *x, float *y, const dim3 &dims) { scaleRowsOfBad<<<dim3((dims.x + 255) / 256, dims.y), 256>>>(x, y, dims.x); }
__global__ void scaleRowsByCallerOk(const float *x, float *y, int w) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  y[size_t(blockIdx.y) * w + c] = 2.0f * x[size_t(blockIdx.y) * w + c];
}
void launchByCaller(const float *x, float *y, int w, dim3 grid, dim3 block) { scaleRowsByCallerOk<<<grid, block>>>(x, y, w); }

// What numbers the threads is named, wherever it is used.
__global__ void farFormulaBad(const float *x, float *y, int n) {
  const int i = threadIdx.x * blockDim.x + threadIdx.x; // expect: reject wrong_index_formula
  float v = 0.0f;
  if (i < n)
    v = x[i];
  v = v * v;
  v = v + 1.0f;
  v = v * 0.5f;
  if (i < n)
    y[i] = v;
}
void launchFarFormula(const float *x, float *y, int n) { farFormulaBad<<<(n + 255) / 256, 256>>>(x, y, n); }

// A scale in both directions: r * r elements for each.
__global__ void shuffleBad(const float *x, float *y, int c, int h, int w, int r) {
  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i]; // expect: review missing_bounds_guard
}
void launchShuffle(const float *x, float *y, int c, int h, int w, int r) {
  const long long total = (long long)c * h * w * r * r;
  shuffleBad<<<(unsigned)((total + 255) / 256), 256>>>(x, y, c, h, w, r);
}

// No block for fewer than 4096.
__global__ void sparseGrid(const unsigned char *px, unsigned *counts, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    atomicAdd(&counts[px[i]], 1u);
}
void launchSparseGridBad(const unsigned char *px, unsigned *counts, int n) {
  if (n > 0)
    sparseGrid<<<n / 4096 < 1024 ? n / 4096 : 1024, 256>>>(px, counts, n); // expect: reject empty_launch
}

// A flag chooses between two layouts: what one shows says nothing of the other.
__global__ void areasOk(const float *boxes, float *y, int n, int oriented) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  if (oriented == 1)
    y[i] = boxes[6 * i + 2] * boxes[6 * i + 3] + boxes[6 * i + 5];
  else
    y[i] = boxes[5 * i + 2] * boxes[5 * i + 3] + boxes[5 * i + 4];
}
void launchAreas(const float *boxes, float *y, int n, int oriented) { areasOk<<<(n + 255) / 256, 256>>>(boxes, y, n, oriented); }

// Whole tiles by one launch, the rest by another.
__global__ void tilesOk(const float4 *x, float4 *y) {
  const size_t i = size_t(blockIdx.x) * 256 + threadIdx.x;
  const float4 v = x[i];
  y[i] = make_float4(v.x + 1.0f, v.y + 1.0f, v.z + 1.0f, v.w + 1.0f);
}
__global__ void restOk(const float *x, float *y, int first, int n) {
  const int i = first + blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] + 1.0f;
}
void launchTilesAndRest(const float *x, float *y, int n) {
  const int tiles = n / 1024;
  if (tiles > 0)
    tilesOk<<<tiles, 256>>>(reinterpret_cast<const float4 *>(x), reinterpret_cast<float4 *>(y));
  if (n % 1024 > 0)
    restOk<<<(n % 1024 + 255) / 256, 256>>>(x, y, tiles * 1024, n);
}

// All threads of all axes are counted, whatever their shape.
__global__ void flatOk(float *y, int n) {
  const int block = gridDim.x * blockIdx.y + blockIdx.x;
  const int size = blockDim.x * blockDim.y;
  const int i = block * size + threadIdx.y * blockDim.x + threadIdx.x;
  for (int j = i; j < n; j += gridDim.x * gridDim.y * size)
    y[j] *= 2.0f;
}
void launchFlat(float *y, int n) { flatOk<<<(n + 511) / 512, 512>>>(y, n); }

// The number of matrices is a size's quotient: ours is one, others are not.
__global__ void matricesOk(const float *x, float *y, long long rows, long long cols, long long total) {
  const long long c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
  const long long at = (blockIdx.z * rows + r) * cols + c;
  if (r < rows && c < cols && at < total)
    y[at] = x[at];
}
void launchMatrices(const float *x, float *y, long long rows, long long cols, long long total) {
  matricesOk<<<dim3((cols + 31) / 32, (rows + 7) / 8, total / (rows * cols) + 1), dim3(32, 8)>>>(x, y, rows, cols, total);
}

// The launcher takes few sizes only: they are found by what turns the others away.
__global__ void keptBad(const float *x, float *y, int n, int k, int taps) {
  const int i = threadIdx.x * blockDim.x + threadIdx.x; // expect: reject wrong_index_formula
  if (i < n)
    y[i] = x[i] * float(k + taps);
}
bool launchKept(const float *x, float *y, int n, int k, int taps) {
  if (taps != 7 || k != n || n % 48 != 0)
    return false;
  keptBad<<<(n + 255) / 256, 256>>>(x, y, n, k, taps);
  return true;
}

// The block is as the data or the device allows.
#include <algorithm>
__global__ void clippedBad(const float *x, float *y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i]; // expect: reject missing_bounds_guard
}
void launchClipped(const float *x, float *y, int n) {
  const int threads = std::min(n, 256);
  clippedBad<<<(n + threads - 1) / threads, threads>>>(x, y, n);
}
__global__ void byDeviceBad(const float *x, float *y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i]; // expect: reject missing_bounds_guard
}
void launchByDevice(const float *x, float *y, int n) {
  cudaDeviceProp p;
  cudaGetDeviceProperties(&p, 0);
  const int threads = p.maxThreadsPerBlock;
  byDeviceBad<<<(n + threads - 1) / threads, threads>>>(x, y, n);
}

// Rows along x in the kernel, columns along x in the launch.
__global__ void crossed(const float *x, float *y, int h, int w) {
  const int r = blockIdx.x * 16 + threadIdx.x, c = blockIdx.y * 16 + threadIdx.y;
  if (r < h && c < w)
    y[r * w + c] = x[r * w + c];
}
void launchCrossedBad(const float *x, float *y, int h, int w) {
  crossed<<<dim3((w + 15) / 16, (h + 15) / 16), dim3(16, 16)>>>(x, y, h, w); // expect: reject dimension_mismatch
}
void launchStraightOk(const float *x, float *y, int h, int w) {
  crossed<<<dim3((h + 15) / 16, (w + 15) / 16), dim3(16, 16)>>>(x, y, h, w);
}
// Blocks of 512 and 1024 threads without a guard.
__global__ void wideBlocksBad(const float *x, float *y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i]; // expect: reject missing_bounds_guard
}
void launchWideBlocks(const float *x, float *y, int n) { wideBlocksBad<<<(n + 1023) / 1024, 1024>>>(x, y, n); }

// `blockDim` and `gridDim` of a launcher are variables like any other.
__global__ void ownNamesBad(const float *x, float *y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i]; // expect: reject missing_bounds_guard
}
void launchOwnNames(const float *x, float *y, int n) {
  dim3 blockDim, gridDim;
  blockDim.x = 256;
  gridDim.x = (n + 255) / 256;
  ownNamesBad<<<gridDim, blockDim>>>(x, y, n);
}

// A pair has no partner in a row of one element, and a swap leaves the middle as it is.
__global__ void reverseOk(float *x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / 2) {
    const float v = x[n - 1 - i];
    x[n - 1 - i] = x[i];
    x[i] = v;
  }
}
void launchReverse(float *x, int n) { reverseOk<<<(n / 2 + 255) / 256, 256>>>(x, n); }

// The kernel's own guard says that there is more to do.
__global__ void flooredRows(const float *x, float *y, int rows, int pitch) {
  const int r = blockIdx.x * 8 + threadIdx.y;
  if (r < rows)
    for (int c = threadIdx.x; c < 64; c += 32)
      y[r * 64 + c] = x[r * (pitch + 3) + c];
}
void launchFlooredBad(const float *x, float *y, int rows, int pitch) {
  flooredRows<<<rows / 8, dim3(32, 8)>>>(x, y, rows, pitch); // expect: reject tail_not_covered
}
void launchCeiledOk(const float *x, float *y, int rows, int pitch) { flooredRows<<<(rows + 7) / 8, dim3(32, 8)>>>(x, y, rows, pitch); }

// Fewer elements than in one row: no such data.
__global__ void rowScale(float *x, int cols) { // a row a block
  for (int c = threadIdx.x; c < cols; c += blockDim.x)
    x[(size_t)blockIdx.x * cols + c] *= 2.0f;
}
void launchRowsOk(float *x, int numel, int cols) {
  const int rows = numel / cols;
  rowScale<<<rows, cols < 256 ? cols : 256>>>(x, cols);
}

// Sizes that the file says more of: n and half are powers of two, every caller passes whole blocks.
__global__ void butterflyOk(float2 *x, int half, int pairs) {
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= pairs)
    return;
  int i = p / half * 2 * half + p % half;
  float2 a = x[i], b = x[i + half];
  x[i] = make_float2(a.x + b.x, a.y + b.y);
  x[i + half] = make_float2(a.x - b.x, a.y - b.y);
}
// n a power of two, half a power of two below n
void launchButterfly(float2 *x, int n, int half) {
  if (n < 2 || half < 1 || half > n / 2)
    return;
  butterflyOk<<<(n / 2 + 127) / 128, 128>>>(x, half, n / 2);
}
__global__ void wholeBlocksOk(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i];
}
void launchWholeBlocks(const float *x, float *y, int n) { wholeBlocksOk<<<n / 192, 192>>>(x, y, n); }
void callsWholeBlocks(const float *x, float *y, int count) {
  int padded = (count + 191) / 192 * 192;
  launchWholeBlocks(x, y, padded);
}
// Who complains about a size says which one is meant; who only tells what comes says nothing.
void launchComplainingOk(const float *x, float *y, int n) {
  if (n % 192)
    printf("n must be a multiple of %d\n", 192);
  wholeBlocksOk<<<n / 192, 192>>>(x, y, n);
}
void launchTellingBad(const float *x, float *y, int n) {
  if (n % 192 == 0)
    printf("whole blocks only\n");
  wholeBlocksOk<<<n / 192, 192>>>(x, y, n); // expect: reject tail_not_covered
}

// One block to spare is no fault: those before it work.
__global__ void warpRowsOk(const float *x, float *y, int rows) {
  const unsigned row = blockIdx.x * 8 + threadIdx.x / 32;
  if (row < unsigned(rows))
    y[row * 32 + threadIdx.x % 32] = x[row * 32 + threadIdx.x % 32];
}
void launchWarpRows(const float *x, float *y, int rows) { warpRowsOk<<<rows / 8 + 1, 256>>>(x, y, rows); }

// Three sizes in a product, divided down. Sizes that vary where the others already fit leave no remainder.
__global__ void flat(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i];
}
void launchFlatBad(const float *x, float *y, int planes, int h, int w) {
  const int n = planes * (h / 2) * (w / 2);
  flat<<<n / 256, 256>>>(x, y, n); // expect: review tail_not_covered
}
void launchFlatOk(const float *x, float *y, int planes, int h, int w) {
  const int n = planes * (h / 2) * (w / 2);
  flat<<<(n + 255) / 256, 256>>>(x, y, n);
}

// A grid for all sizes, and no loop. What the launcher turns away needs none.
__global__ void fill(float *out, unsigned seed, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = float(seed ^ unsigned(i));
}
void launchFillBad(float *out, unsigned seed, int n) {
  if (n > 0)
    fill<<<4 * 108, 256>>>(out, seed, n); // expect: reject coverage_mismatch
}
void launchFillOk(float *out, unsigned seed, int n) {
  if (n > 0 && n <= 4 * 108 * 256)
    fill<<<4 * 108, 256>>>(out, seed, n);
}
__global__ void fillAllOk(float *out, unsigned seed, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    out[i] = float(seed ^ unsigned(i));
}
void launchFillAll(float *out, unsigned seed, int n) { fillAllOk<<<4 * 108, 256>>>(out, seed, n); }
// The partial sums of a fixed grid.
__global__ void partialOk(const float *x, float *partial, float scale, int first, int n) {
  float sum = 0.0f;
  for (int i = first + blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    sum += x[i];
  partial[blockIdx.x * blockDim.x + threadIdx.x] = scale * sum;
}
void launchPartial(const float *x, float *partial, float scale, int first, int n) { partialOk<<<64, 128>>>(x, partial, scale, first, n); }

// A block a row along y, and a launcher that says how many rows it takes.
__global__ void tokens(const float *x, float *y, int cols) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c < cols)
    y[size_t(blockIdx.y) * cols + c] = x[size_t(blockIdx.y) * cols + c];
}
void launchTokensBad(const float *x, float *y, int rows, int cols) {
  if (rows <= 0 || rows > 1048576 || cols <= 0)
    return;
  tokens<<<dim3((cols + 255) / 256, rows), 256>>>(x, y, cols); // expect: reject grid_too_large
}
void launchTokensOk(const float *x, float *y, int rows, int cols) {
  if (rows <= 0 || rows > 65535 || cols <= 0)
    return;
  tokens<<<dim3((cols + 255) / 256, rows), 256>>>(x, y, cols);
}
void launchAnyTokensOk(const float *x, float *y, int rows, int cols) {
  if (rows > 0 && cols > 0)
    tokens<<<dim3((cols + 255) / 256, rows), 256>>>(x, y, cols);
}

// What memory says lets any thread pass; what the thread's index enters is a guard.
__global__ void appendBad(const float *k, const int *slot, float *cache, int dim) {
  const int d = blockIdx.x * blockDim.x + threadIdx.x, t = blockIdx.y;
  const int s = slot[t];
  if (s < 0)
    return;
  cache[size_t(s) * dim + d] = k[size_t(t) * dim + d]; // expect: review missing_bounds_guard
}
void launchAppend(const float *k, const int *slot, float *cache, int tokens, int dim) {
  appendBad<<<dim3((dim + 127) / 128, tokens), 128>>>(k, slot, cache, dim);
}
__global__ void raggedOk(const float *k, const int *length, float *sums, int dim) {
  const int d = blockIdx.x * blockDim.x + threadIdx.x, t = blockIdx.y;
  const int left = length[t] - d;
  if (left <= 0)
    return;
  atomicAdd(&sums[t], k[size_t(t) * dim + d]);
}
void launchRagged(const float *k, const int *length, float *sums, int tokens, int dim) {
  raggedOk<<<dim3((dim + 127) / 128, tokens), 128>>>(k, length, sums, dim);
}
__global__ void fullBlocksOk(const float *k, const int *full, float *sums, int dim) {
  const int d = blockIdx.x * blockDim.x + threadIdx.x, t = blockIdx.y;
  if (blockIdx.x < full[t])
    atomicAdd(&sums[t], k[size_t(t) * dim + d]);
}
void launchFullBlocks(const float *k, const int *full, float *sums, int tokens, int dim) {
  fullBlocksOk<<<dim3((dim + 127) / 128, tokens), 128>>>(k, full, sums, dim);
}

// A size that the kernel takes and never looks at: nothing keeps the last block inside, unless the launch fits.
__global__ void forgetfulBad(const float *x, float *y, float a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = a * x[i]; // expect: review missing_bounds_guard
}
__global__ void callersGridBad(const float *x, float *y, int n) {
  y[blockIdx.x * 256 + threadIdx.x] = 2.0f * x[blockIdx.x * 256 + threadIdx.x]; // expect: review missing_bounds_guard
}
void launchCallersGrid(const float *x, float *y, int n, int blocks) { callersGridBad<<<blocks, 256>>>(x, y, n); }
__global__ void onPurposeOk(const float *x, float *y, int n) {
  (void)n;
  y[blockIdx.x * blockDim.x + threadIdx.x] = x[blockIdx.x * blockDim.x + threadIdx.x];
}
__global__ void maybeOk(const float *x, float *y, [[maybe_unused]] int n) {
  y[blockIdx.x * blockDim.x + threadIdx.x] = x[blockIdx.x * blockDim.x + threadIdx.x];
}
__global__ void fitsOk(const float *x, float *y, int rows) {
  y[blockIdx.x * blockDim.x + threadIdx.x] = x[blockIdx.x * blockDim.x + threadIdx.x];
}
void launchFits(const float *x, float *y, int rows) { fitsOk<<<rows, 128>>>(x, y, rows); }
__global__ void rowsOk(const float *x, float *y, int rows, int cols) {
  for (int c = threadIdx.x; c < cols; c += blockDim.x)
    y[size_t(blockIdx.x) * cols + c] = x[size_t(blockIdx.x) * cols + c];
}
__global__ void guardedByOtherOk(const float *x, float *y, int seed, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i];
}
__global__ void perBlockOk(const float *x, float *sums, int n) {
  if (threadIdx.x == 0)
    sums[blockIdx.x] = x[blockIdx.x];
}

// A window that is taken off: the sizes at which something is launched have a small one.
__global__ void convolve(const float *x, const float *w, float *y, int H, int W, int R, int S, int OH, int OW) {
  const int ow = blockIdx.x * blockDim.x + threadIdx.x, oh = blockIdx.y * blockDim.y + threadIdx.y;
  if (ow >= OW || oh >= OH)
    return;
  float sum = 0.0f;
  for (int r = 0; r < R; ++r)
    for (int s = 0; s < S; ++s)
      sum += x[(oh + r) * W + ow + s] * w[r * S + s];
  y[oh * OW + ow] = sum;
}
void launchConvolveBad(const float *x, const float *w, float *y, int H, int W, int R, int S) {
  const int OH = H - R + 1, OW = W - S + 1;
  convolve<<<(OH * OW + 255) / 256, 256>>>(x, w, y, H, W, R, S, OH, OW); // expect: reject dimension_mismatch
}

// Threads that follow the columns up to a limit, and no loop: rows that are longer keep their ends.
static int threadsOf(int cols) {
  const int whole = (cols + 31) / 32 * 32;
  return whole < 1024 ? whole : 1024;
}
__global__ void reverseRow(const float *x, float *y, int cols) {
  if (threadIdx.x < cols)
    y[size_t(blockIdx.x) * cols + threadIdx.x] = x[size_t(blockIdx.x) * cols + cols - 1 - threadIdx.x];
}
void launchReverseBad(const float *x, float *y, int rows, int cols) {
  reverseRow<<<rows, threadsOf(cols)>>>(x, y, cols); // expect: review coverage_mismatch
}
void launchReverseOk(const float *x, float *y, int rows, int cols) {
  if (cols <= 1024)
    reverseRow<<<rows, threadsOf(cols)>>>(x, y, cols);
}
__global__ void reverseAllOk(const float *x, float *y, int cols) {
  for (int c = threadIdx.x; c < cols; c += blockDim.x)
    y[size_t(blockIdx.x) * cols + c] = x[size_t(blockIdx.x) * cols + cols - 1 - c];
}
void launchReverseAll(const float *x, float *y, int rows, int cols) { reverseAllOk<<<rows, threadsOf(cols)>>>(x, y, cols); }

// Grids that end well before the kernel's own bounds, at every size.
__global__ void plane(const float *x, float *y, int w, int h) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (c >= w || r >= h)
    return;
  y[r * w + c] = 2 * x[r * w + c];
}
__global__ void planeHalves(const float *x, float *y, int w, int first, int h) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x, r = first + blockIdx.y * blockDim.y + threadIdx.y;
  if (c >= w || r >= h)
    return;
  y[r * w + c] = 2 * x[r * w + c];
}
__global__ void planeStrides(const float *x, float *y, int w, int h) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  for (int r = blockIdx.y * blockDim.y + threadIdx.y; c < w && r < h; r += gridDim.y * blockDim.y)
    y[r * w + c] = 2 * x[r * w + c];
}
void launchPlanes(const float *x, float *y, int w, int h) {
  const dim3 block(32, 8), grid((w + 31) / 32, (h + 31) / 32);
  plane<<<grid, block>>>(x, y, w, h); // expect: reject coverage_mismatch
}
void launchStrides(const float *x, float *y, int w, int h) {
  const dim3 block(32, 8), grid((w + 31) / 32, (h + 31) / 32);
  planeStrides<<<grid, block>>>(x, y, w, h);
}
void launchHalves(const float *x, float *y, int w, int h) {
  const dim3 block(32, 8), grid((w + 31) / 32, (h - h / 2 + 7) / 8);
  planeHalves<<<grid, block>>>(x, y, w, 0, h);
  planeHalves<<<grid, block>>>(x, y, w, h / 2, h);
}
__global__ void magnitude(const float *x, float *y, int w, int h) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;
  if (c >= w || r >= h)
    return;
  y[r * w + c] = fabsf(x[r * w + min(c + 1, w - 1)]);
}
void launchMagnitude(const float *x, float *y, int w, int h) {
  const int threads = 256;
  magnitude<<<dim3((w + 31) / 32, (h + 7) / 8), threads>>>(x, y, w, h); // expect: reject dimension_mismatch
}
// What one launch leaves another does, by the other half of a pair.
__global__ void swapPairs(float *x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (2 * i + 1 >= n)
    return;
  const float low = x[2 * i];
  x[2 * i] = x[2 * i + 1];
  x[2 * i + 1] = low;
}
void launchPairs(float *x, int n) { swapPairs<<<(n / 2 + 255) / 256, 256>>>(x, n); }

// A size that is tested together with addresses.
__global__ void wordSums(const int *x, int *y, int rows, int words) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows)
    return;
  int s = 0;
  for (int w = 0; w < words; ++w)
    s += x[size_t(r) * words + w];
  y[r] = s;
}
void launchWordSums(const signed char *x, int *y, int rows, int cols) {
  const size_t bits = reinterpret_cast<size_t>(x) | size_t(cols);
  if ((bits & 3) != 0)
    return;
  wordSums<<<(rows + 127) / 128, 128>>>(reinterpret_cast<const int *>(x), y, rows, cols / 4);
}

// Memory of the host, pinned or registered, is a kernel's to work on too.
__global__ void pinnedOk(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i];
}
void launchPinned() {
  int n = 1 << 14;
  float *x, *y;
  cudaMallocHost(&x, n * sizeof(float));
  cudaMallocHost(&y, n * sizeof(float));
  pinnedOk<<<n / 1024, 1024>>>(x, y, n);
  cudaFreeHost(x);
  cudaFreeHost(y);
}
