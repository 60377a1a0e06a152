// RUN: %kcheck_test --rules=index-space,sync,global-effect %s
// Sizes of ours that no caller would give: what a launch does with them is a doubt.
#include <cassert>
#include <cuda_runtime.h>

// Rows of whole packets: a row shorter than one packet has no thread, and that tells nothing of the other size.
__global__ void subtractOuter(const float *x, const float *y, float *z, int rows, int width) {
  int column = (blockIdx.x * blockDim.x + threadIdx.x) * 4, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column >= width || row >= rows)
    return;
  float s = x[row];
  float4 v = *(const float4 *)(y + column); // expect: review missing_bounds_guard
  float4 *out = (float4 *)(z + (size_t)width * row + column);
  float4 w = *out;
  *out = make_float4(w.x - s * v.x, w.y - s * v.y, w.z - s * v.z, w.w - s * v.w);
}
void launchSubtractOuter(const float *x, const float *y, float *z, int rows, int width) {
  dim3 block(32, 32), grid((width / 4 + 31) / 32, (rows + 31) / 32);
  subtractOuter<<<grid, block>>>(x, y, z, rows, width); // expect: review tail_not_covered
}

// Where the callers choose the block among many sizes, they may choose it to fit.
__global__ void sumSections(const float *x, float *y, int sections, int length, float bias, float scale) {
  int section = blockIdx.x * blockDim.x + threadIdx.x;
  if (section < sections) {
    float sum = bias;
    for (int i = 0; i < length; ++i)
      sum += scale * x[section * length + i];
    __syncthreads(); // expect: review barrier_divergence
    y[section] = sum;
  }
}
void launchSumSections(const float *x, float *y, int count, int length, int first, int last, int threads) {
  int sections = (count + length - 1) / length;
  sumSections<<<(sections + threads - 1) / threads, threads>>>(x, y, sections, length, float(first), float(last));
}

// The step that stores is left out at sizes of ours only: the callers' start is smaller than their end.
__global__ void decode(const int *table, int *out, int start, int end, int state, int step, int offset) {
  int last;
  for (int at = start; at < end; at += step) {
    last = state;
    state = table[state + offset];
  }
  out[threadIdx.x] = last + state; // expect: review uninitialised_read
}
void launchDecode(const int *table, int *out, int start, int end, int state, int step, int offset) {
  decode<<<1, 32>>>(table, out, start, end, state, step, offset);
}

// Less and less in each trip: only the last one has nothing to do.
constexpr int Order = 256;
__global__ void eliminate(float *a, int k) {
  int j = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
  if (j < Order)
    a[k * Order + j] /= a[k * Order + k];
}
void launchEliminate(float *a) {
  for (int k = 0; k < Order; ++k)
    eliminate<<<(Order - (k + 1) + 63) / 64, 64>>>(a, k); // expect: review empty_launch
}
// Never anything to do.
__global__ void fill(float *a) { a[threadIdx.x] = 1.0f; }
void launchFill(float *a) {
  fill<<<Order / 512, 64>>>(a); // expect: reject empty_launch
}

// Asserts state the launch that the file does not show.
__global__ void sumQuartersOk(const float *x, float *y) {
  assert(blockDim.x == 4 && blockDim.y == 8);
  assert(gridDim.x == 1);
  float v = x[threadIdx.y * 4 + threadIdx.x];
  v += __shfl_down_sync(0xffffffff, v, 2, 4);
  v += __shfl_down_sync(0xffffffff, v, 1, 4);
  if (threadIdx.x == 0)
    y[threadIdx.y] = v;
}
__global__ void sumHalvesBad(const float *x, float *y) {
  assert(blockDim.x == 8 && blockDim.y == 4);
  float v = x[(blockIdx.x * 4 + threadIdx.y) * 8 + threadIdx.x];
  if (threadIdx.x < 4)
    v += __shfl_down_sync(0xffffffff, v, 4, 8); // expect: review shuffle_mask
  y[(blockIdx.x * 4 + threadIdx.y) * 8 + threadIdx.x] = v;
}
// Without one nobody knows which threads are the lanes of a warp.
__global__ void sumRowsOk(const float *x, float *y, int width) {
  float v = x[threadIdx.y * width + threadIdx.x];
  if (threadIdx.y == 0)
    v += __shfl_down_sync(0xffffffff, v, 16);
  y[threadIdx.y * width + threadIdx.x] = v;
}

// No size of ours is the one that is asserted, or asked for: nothing is known of what comes behind.
__global__ void addPartsOk(int *data, const int *parts, int n) {
  assert(n == 65536);
  __shared__ int part;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > n)
    return;
  if (threadIdx.x == 0)
    part = parts[blockIdx.x];
  __syncthreads();
  data[i] += part;
}
__global__ void addSeventhOk(int *data, const int *parts, int way) {
  __shared__ int part;
  if (way != 7)
    return;
  if (threadIdx.x == 0)
    part = parts[blockIdx.x];
  __syncthreads();
  data[blockIdx.x * blockDim.x + threadIdx.x] += part;
}
void launchAddParts(int *data, const int *parts, int n, int way) {
  addPartsOk<<<255, 256>>>(data, parts, n);
  addSeventhOk<<<255, 256>>>(data, parts, way);
}

// A size that masks is a power of two; that it may be larger than the block is a doubt.
__device__ int placeOf(int size) { return 2 * threadIdx.x - (threadIdx.x & (size - 1)); }
__device__ int scanOf(int v, volatile int *s, int size) {
  int at = placeOf(size);
  s[at] = 0;
  at += size;
  s[at] = v;
  for (int d = 1; d < size; d *= 2) {
    __syncthreads();
    int t = s[at] + s[at - d]; // expect: review uninitialised_read
    __syncthreads();
    s[at] = t;
  }
  return s[at];
}
__global__ void scanOk(int *out, const int *in, int n, int size) {
  __shared__ int s[512];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = scanOf(i < n ? in[i] : 0, s, size);
  if (i < n)
    out[i] = v;
}
void launchScan(int *out, const int *in, int n, int size) { scanOk<<<(n + 255) / 256, 256>>>(out, in, n, size); }

// A promise that some threads of the last block break says nothing of its barrier; that the block does nothing then is a doubt.
__global__ void smoothOk(const float *x, float *y, int n) {
  __shared__ float s[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  assert(i < n);
  s[threadIdx.x] = x[i];
  __syncthreads();
  y[i] = 0.5f * (s[threadIdx.x] + s[255 - threadIdx.x]);
}
void launchSmooth(const float *x, float *y, int n) {
  smoothOk<<<(n + 255) / 256, 256>>>(x, y, n); // expect: review tail_not_covered
}
