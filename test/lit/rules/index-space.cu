// RUN: %kcheck_test --rules=index-space %s
#include <cuda_runtime.h>

__global__ void strideBad(const float *x, float *y, int n) {
  int i = threadIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i]; // expect: reject wrong_index_formula
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
