// RUN: %kcheck_test --rules=index-space %s
// Sizes that callers keep to whole packets, or in proportion, without a word of it in the file: what our own sizes show is no fault.
#include <cuda_runtime.h>

// A row of `width / 8` packets: with another width the row of a packet is another: a doubt, for callers may never ask for that.
__global__ void unpackOk(const uint2 *packed, const float *scale, float4 *out, int rows, int width) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < rows * width / 8; i += gridDim.x * blockDim.x) {
    uint2 p = packed[i];
    float s = scale[i / (width / 8)];
    out[2 * i] = make_float4(s * (p.x & 255), s * (p.x >> 8 & 255), s * (p.x >> 16 & 255), s * (p.x >> 24));
    out[2 * i + 1] = make_float4(s * (p.y & 255), s * (p.y >> 8 & 255), s * (p.y >> 16 & 255), s * (p.y >> 24));
  }
}
void launchUnpack(const uint2 *packed, const float *scale, float4 *out, int rows, int width) {
  unpackOk<<<128, 256>>>(packed, scale, out, rows, width);
}
// The same rounded up does reach too far.
__global__ void chunkedBad(const float *x, float *y, int n, int chunk) {
  for (int i = threadIdx.x; i < chunk; i += blockDim.x)
    y[blockIdx.x * chunk + i] = 2.0f * x[blockIdx.x * chunk + i]; // expect: reject missing_bounds_guard
}
void launchChunked(const float *x, float *y, int n) { chunkedBad<<<4, 256>>>(x, y, n, (n + 3) / 4); }

// Packets of two in rows: an odd row would not even be aligned, and that its packets meet the next row's says nothing more.
__global__ void addRow(float *table, float2 r, int rows, int width) {
  int column = (blockIdx.x * blockDim.x + threadIdx.x) * 2;
  if (column >= width)
    return;
  for (int y = blockIdx.y * 4; y < min(rows, int(blockIdx.y) * 4 + 4); ++y)
    *(float2 *)(table + (size_t)y * width + column) = r; // expect: review guard_off_by_one
}
void launchAddRow(float *table, float2 r, int rows, int width) {
  addRow<<<dim3((width + 63) / 64, (rows + 3) / 4), 32>>>(table, r, rows, width);
}

// An overload that only has to be there.
__global__ void padOk(float *, const float *, int) {}
void launchPad(float *out, const float *in, int rows, int width) { padOk<<<dim3((rows + 15) / 16), dim3(32, 16)>>>(out, in, width); }

// One size that counts along two axes of a block.
template <int Side> __global__ void tileOk(const float *x, float *y, int width, int height) {
  int column = blockIdx.x * Side + threadIdx.x, row = blockIdx.y * Side + threadIdx.y;
  if (column < width && row < height)
    y[row * width + column] = 2.0f * x[row * width + column];
}
void launchTile(const float *x, float *y, int side, int width, int height) {
  dim3 block(side, side), grid((width + side - 1) / side, (height + side - 1) / side);
  if (side == 16)
    tileOk<16><<<grid, block>>>(x, y, width, height);
  else
    tileOk<32><<<grid, block>>>(x, y, width, height);
}

// Whole packets of a table: a doubt, for its width may be one of them.
__global__ void doubleInPackets(float *x, int total) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < total / 4) {
    float4 v = ((float4 *)x)[i];
    ((float4 *)x)[i] = make_float4(2 * v.x, 2 * v.y, 2 * v.z, 2 * v.w);
  }
}
void launchTableBad(float *x, int rows, int width) {
  doubleInPackets<<<(rows * width / 4 + 255) / 256, 256>>>(x, rows * width); // expect: review tail_not_covered
}

// Rows as long as data says: threads past the end of one go home, and do not write the next.
__global__ void raggedOk(const float *x, const int *length, float *y, int width) {
  int row = blockIdx.y, d = blockIdx.x * blockDim.x + threadIdx.x;
  if (d >= length[row])
    return;
  y[row * width + d] = 2.0f * x[row * width + d];
}
void launchRagged(const float *x, const int *length, float *y, int rows, int width) {
  raggedOk<<<dim3((width + 255) / 256, rows), 256>>>(x, length, y, width);
}

// Without a launch: what tells no block from another is one block's work,
__global__ void reverseInPlaceOk(int *x) {
  int mine = x[255 - threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = mine;
}

// The launcher's own buffer, which the last block passes the end of.
__global__ void squaresBad(const float *x, float *squares, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[min(i, n - 1)];
  squares[i] = v * v; // expect: reject missing_bounds_guard
}
__global__ void squaresGuarded(const float *x, float *squares, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    squares[i] = x[i] * x[i];
}
void ownBuffer(const float *x, int n) {
  float *squares;
  cudaMalloc(&squares, n * sizeof(float));
  squaresBad<<<(n + 255) / 256, 256>>>(x, squares, n);
  cudaFree(squares);
}
void ownBufferPadded(const float *x, int n) {
  float *squares, *padded;
  cudaMalloc(&squares, n * sizeof(float));
  cudaMalloc(&padded, (n + 255) / 256 * 256 * sizeof(float));
  squaresGuarded<<<(n + 255) / 256, 256>>>(x, squares, n);
  squaresBad<<<(n + 255) / 256, 256>>>(x, padded, n);
  cudaFree(squares);
  cudaFree(padded);
}

// Sixteen threads an element, sixteen elements a block: a row each, no partial results.
__global__ void segmentSumsBad(const float *x, float *out, int segments) {
  const int s = blockIdx.x * 16 + threadIdx.x / 16;
  float v = x[size_t(s) * 16 + threadIdx.x % 16];
  for (int o = 8; o > 0; o >>= 1)
    v += __shfl_down_sync(0xffffffffu, v, o, 16);
  if (threadIdx.x % 16 == 0)
    out[s] = v; // expect: reject missing_bounds_guard
}
void launchSegmentSums(const float *x, float *out, int segments) { segmentSumsBad<<<(segments + 15) / 16, 256>>>(x, out, segments); }
// A sum a warp: as many as there are warps, whatever n is.
__global__ void warpSumsOk(const float *x, float *partial, int n) {
  const int i = blockIdx.x * 256 + threadIdx.x;
  float v = i < n ? x[i] : 0;
  for (int o = 16; o > 0; o >>= 1)
    v += __shfl_down_sync(0xffffffffu, v, o);
  if (threadIdx.x % 32 == 0)
    partial[i / 32] = v;
}
void launchWarpSums(const float *x, float *partial, int n) { warpSumsOk<<<(n + 255) / 256, 256>>>(x, partial, n); }

// Of two branches, each for one width, one counts its rows down.
template <int Width>
__global__ void scaleRows(float *x, float a, int rows) {
  const int r = blockIdx.x * 4 + threadIdx.x / 32;
  if (r >= rows)
    return;
  for (int c = threadIdx.x % 32; c < Width; c += 32)
    x[size_t(r) * Width + c] *= a;
}
void launchScaleRows(float *x, float a, int rows, int width) {
  if (width == 128)
    scaleRows<128><<<rows / 4, 128>>>(x, a, rows); // expect: reject tail_not_covered
  else if (width == 256)
    scaleRows<256><<<(rows + 3) / 4, 128>>>(x, a, rows);
}

// Sizes of ours that make a grid which no device launches, or one whose blocks cannot be counted, show nothing.
__global__ void windows(const float *x, float *y, int height, int width, int planes) {
  const int c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y * 16 + threadIdx.y;
  if (c >= width || r >= height)
    return;
  const size_t at = (size_t(blockIdx.z) * height + r) * width + c;
  y[at] = x[at];
}
void launchWindows(const float *x, float *y, int height, int width, int planes, int kernel) {
  const int h = height - kernel + 1, w = width - kernel + 1;
  windows<<<dim3((w + 15) / 16, (h + 15) / 16, planes), dim3(16, 16)>>>(x, y, h, w, planes);
}
