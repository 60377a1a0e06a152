// RUN: %kcheck_test --rules=index-space %s
#include <cuda_runtime.h>

// Kernels that the file does not launch: what is wrong in every launch.
__global__ void blocksRepeatBad(const float *x, float *y, int n) {
  int i = blockIdx.x + threadIdx.x; // expect: review wrong_index_formula
  if (i < n)
    y[i] = x[i];
}
__global__ void oneBlockOk(const float *x, float *y, int n) {
  int i = threadIdx.x;
  if (i < n)
    y[i] = x[i];
}
__global__ void oneBlockAloneOk(const float *x, float *y) {
  extern __shared__ float mine[];
  mine[threadIdx.x] = 2.0f * x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = mine[threadIdx.x];
}
__global__ void fixedBlockOk(const float *x, float *y, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  if (i < n)
    y[i] = x[i];
}
__global__ void beforeStartBad(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  y[i] = x[i] - x[i - 1]; // expect: review missing_bounds_guard
}
__global__ void fromSecondOk(const float *x, float *y, int first, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= first && i < n)
    y[i] = x[i] - x[i - 1];
}

// Rows and columns that are taken for one another.
__global__ void turnedBad(const float *x, float *y, int w, int h) {
  int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (col < w && row < h)
    y[col * w + row] = x[row * w + col]; // expect: review wrong_stride
}
__global__ void turnedOk(const float *x, float *y, int w, int h, int pitch) {
  int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (col < w && row < h)
    y[col * h + row] = x[row * pitch + col];
}

// A few elements for each block, and a length that the kernel is told.
__global__ void binsOk(const int *x, int *bins, int n) {
  __shared__ int mine[16];
  if (threadIdx.x < 16)
    mine[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n)
    atomicAdd(&mine[x[i] & 15], 1);
  __syncthreads();
  if (threadIdx.x < 16)
    bins[threadIdx.x * gridDim.x + blockIdx.x] = mine[threadIdx.x];
}
__global__ void doubleOk(int *v, int n) {
  for (int i = threadIdx.x; i < n; i += 32)
    v[i] *= 2;
}
void launchBins(const int *x, int *bins, int n) {
  const int blocks = (n + 255) / 256;
  binsOk<<<blocks, 256>>>(x, bins, n);
  doubleOk<<<1, 32>>>(bins, 16 * blocks);
}

// Threads that are numbered across blocks: the last block does not reach furthest.
__global__ void acrossOk(const float *x, float *y, int n) {
  int i = threadIdx.x * gridDim.x + blockIdx.x;
  if (i < n)
    y[i] = x[i];
}
void launchAcross(const float *x, float *y, int n) { acrossOk<<<(n + 255) / 256, 256>>>(x, y, n); }

// The sum of each block, all to one place.
__global__ void oneSumBad(const float *x, float *y, int n) {
  __shared__ float part[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  part[t] = i < n ? x[i] : 0.0f;
  __syncthreads();
  for (int d = 128; d > 0; d /= 2) {
    if (t < d)
      part[t] += part[t + d];
    __syncthreads();
  }
  if (t == 0)
    y[0] = part[0]; // expect: reject wrong_index_formula
}
void launchOneSum(const float *x, float *y, int n) { oneSumBad<<<(n + 255) / 256, 256>>>(x, y, n); }

// The grid counts one element more than the kernel works on.
__global__ void allButLast(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n - 1)
    y[i] = 2.0f * x[i];
}
void launchAllButLastBad(const float *x, float *y, int n) {
  allButLast<<<(n + 255) / 256, 256>>>(x, y, n); // expect: review guard_off_by_one
}

// A remainder of a product of many sizes, which the kernel is told.
__global__ void scaled(const float *x, float *y, long long n) {
  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[int(floorf(i * 0.5f))];
}
void launchPlanesBad(const float *x, float *y, int a, int b, int c, int d, int e) {
  const long long total = (long long)a * b * c * d * e;
  scaled<<<total / 128, 128>>>(x, y, total); // expect: reject tail_not_covered
}

// An index that leaves one axis of the grid out.
__global__ void planesBad(const float *x, float *y, int channels, int pixels, int images) {
  int c = blockIdx.x, image = blockIdx.y;
  for (int i = threadIdx.x; i < pixels; i += blockDim.x)
    y[c * pixels + i] = x[(image * channels + c) * pixels + i]; // expect: reject wrong_index_formula
}
void launchPlanes(const float *x, float *y, int images, int channels, int pixels) {
  planesBad<<<dim3(channels, images), 128>>>(x, y, channels, pixels, images);
}

// Programs with given sizes.
__global__ void transposeOk(const float *x, float *y, int rows, int cols) {
  int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 8 + threadIdx.y;
  if (c < cols && r < rows)
    y[c * rows + r] = x[r * cols + c];
}
__global__ void shiftBad(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] - x[i - 1]; // expect: reject missing_bounds_guard
}
__global__ void tooFarOk(const float *x, float *y, int n) {
  int i = blockDim.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i];
}
int givenSizes() {
  const int rows = 64, cols = 2048;
  float *x, *y, *z;
  cudaMalloc(&x, rows * cols * sizeof(float));
  cudaMalloc(&y, rows * cols * sizeof(float));
  cudaMalloc(&z, rows * cols * sizeof(float));
  cudaMemset(x, 0, rows * cols * sizeof(float));
  transposeOk<<<dim3(cols / 32, rows / 8), dim3(32, 8)>>>(x, y, rows, cols);
  transposeOk<<<dim3(rows / 32, cols / 8), dim3(32, 8)>>>(x, z, rows, cols); // expect: reject coverage_mismatch
  shiftBad<<<512, 256>>>(x, y, rows * cols);
  tooFarOk<<<40, 256>>>(x, y, 10000); // expect: reject coverage_mismatch
  cudaFree(x);
  cudaFree(y);
  cudaFree(z);
  return 0;
}

// Backwards from one past the end.
__global__ void backwards(const float *x, float *y, int n, int from) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[n - from - i];
}
__global__ void backwardsBad(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[n - i]; // expect: review guard_off_by_one
}
void launchBackwards(const float *x, float *y, int n) {
  backwards<<<(n + 255) / 256, 256>>>(x, y, n, 1);
  backwardsBad<<<(n + 255) / 256, 256>>>(x, y, n);
}

// One of two bounds is not enough.
__global__ void eitherBad(const float *x, float *y, int w, int h) {
  int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (col < w || row < h) // expect: review missing_bounds_guard
    y[row * w + col] = x[row * w + col];
}
__global__ void eitherLeavesOk(const float *x, float *y, int w, int h) {
  int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (col >= w || row >= h)
    return;
  y[row * w + col] = x[row * w + col];
}

// A grid whose axes are exchanged, of three sizes.
__global__ void tiles(const float *a, float *c, int rows, int cols, int inner) {
  const int r = blockIdx.y * 16 + threadIdx.y, q = blockIdx.x * 16 + threadIdx.x;
  float sum = 0.0f;
  for (int k = threadIdx.x; k < inner; k += 16)
    sum += a[k];
  if (r < rows && q < cols)
    c[r * cols + q] = sum;
}
void launchTilesBad(const float *a, float *c, int rows, int cols, int inner) {
  tiles<<<dim3((rows + 15) / 16, (cols + 15) / 16), dim3(16, 16)>>>(a, c, rows, cols, inner); // expect: reject dimension_mismatch
}
void launchTilesOk(const float *a, float *c, int rows, int cols, int inner) {
  tiles<<<dim3((cols + 15) / 16, (rows + 15) / 16), dim3(16, 16)>>>(a, c, rows, cols, inner);
}

// Numbers within a block that two threads have.
__global__ void fillTileBad(const float *x, float *y, int w) {
  __shared__ float tile[12 * 36];
  const int tid = threadIdx.y * blockDim.y + threadIdx.x; // expect: reject wrong_index_formula
  for (int k = tid; k < 12 * 36; k += blockDim.x * blockDim.y)
    tile[k] = x[blockIdx.x * 12 * 36 + k];
  __syncthreads();
  y[blockIdx.x * 256 + threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.y * 36 + threadIdx.x + w];
}
__global__ void fillTile(const float *x, float *y, int w) {
  __shared__ float tile[12 * 36];
  const int tid = threadIdx.y * blockDim.x + threadIdx.x;
  for (int k = tid; k < 12 * 36; k += blockDim.x * blockDim.y)
    tile[k] = x[blockIdx.x * 12 * 36 + k];
  __syncthreads();
  y[blockIdx.x * 256 + threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.y * 36 + threadIdx.x + w];
}
void fillTiles(const float *x, float *y, int w) {
  if (w < 0 || w > 4)
    return;
  fillTileBad<<<64, dim3(32, 8)>>>(x, y, w);
  fillTile<<<64, dim3(32, 8)>>>(x, y, w);
}

// Rows numbered by the threads of the other axis.
__global__ void smoothRowsBad(const float *f, float *g, int nx, int ny) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.x + threadIdx.y; // expect: reject wrong_index_formula
  if (x >= nx || y >= ny)
    return;
  int up = (y + 1) % ny;
  g[size_t(y) * nx + x] = 0.5f * (f[size_t(y) * nx + x] + f[size_t(up) * nx + x]);
}
void smoothRows(const float *f, float *g, int nx, int ny) {
  smoothRowsBad<<<dim3((nx + 63) / 64, (ny + 3) / 4), dim3(64, 4)>>>(f, g, nx, ny);
}

// Sizes that come as one vector; whatever they are, no block has so many threads.
__global__ void heat(const float *u, float *v, int3 n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < n.x && y < n.y && z < n.z)
    v[(size_t(z) * n.y + y) * n.x + x] = 0.5f * u[(size_t(z) * n.y + y) * n.x + x];
}
void heatBad(const float *u, float *v, int3 n) {
  const dim3 block(16, 16, 8), grid((n.x + 15) / 16, (n.y + 15) / 16, (n.z + 7) / 8);
  heat<<<grid, block>>>(u, v, n); // expect: reject block_too_large
}
void heatGood(const float *u, float *v, int3 n) {
  const dim3 block(16, 8, 4), grid((n.x + 15) / 16, (n.y + 7) / 8, (n.z + 3) / 4);
  heat<<<grid, block>>>(u, v, n);
}

// Rows where the kernel's bound on its threads stands.
__global__ void __launch_bounds__(256) rowSums(const float *x, float *y, int cols) {
  float s = 0;
  for (int c = threadIdx.x; c < cols; c += 256)
    s += x[size_t(blockIdx.x) * cols + c];
  atomicAdd(y + blockIdx.x, s);
}
void rowSumsBad(const float *x, float *y, int rows, int cols) {
  rowSums<<<256, rows>>>(x, y, cols); // expect: reject launch_args_swapped
}

// A position that is the length of its row.
struct Cache {
  float4 *slots; // [batch, length]
  int *used;
  int length;
};
__global__ void appendBad(const float4 *tokens, Cache c) {
  int b = blockIdx.x, pos = c.used[b];
  if (pos > c.length) // expect: reject guard_off_by_one
    return;
  c.slots[size_t(b) * c.length + pos] = tokens[b];
  c.used[b] = pos + 1;
}
__global__ void appendGood(const float4 *tokens, Cache c) {
  int b = blockIdx.x, pos = c.used[b];
  if (pos >= c.length)
    return;
  c.slots[size_t(b) * c.length + pos] = tokens[b];
  c.used[b] = pos + 1;
}
__global__ void appendFromOne(const float4 *tokens, Cache c) {
  int b = blockIdx.x, pos = c.used[b] + 1;
  if (pos > c.length)
    return;
  c.slots[size_t(b) * c.length + pos - 1] = tokens[b];
  c.used[b] = pos;
}
void append(const float4 *tokens, Cache c, int batch) {
  appendBad<<<batch, 1>>>(tokens, c);
  appendGood<<<batch, 1>>>(tokens, c);
  appendFromOne<<<batch, 1>>>(tokens, c);
}
