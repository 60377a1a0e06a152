// RUN: %kcheck_test --rules api --hosts kcheck %s
#include <cuda_runtime.h>

// The width of a copy of rows counts bytes.
void pitchedBad(const uchar4 *h, int w, int rows) {
  uchar4 *d;
  size_t pitch;
  cudaMallocPitch(&d, &pitch, w * sizeof(uchar4), rows);
  cudaMemcpy2D(d, pitch, h, w, w, rows, cudaMemcpyHostToDevice); // expect: reject memcpy_size
  cudaMemcpy2D(d, pitch, h, w * sizeof(uchar4), w * sizeof(uchar4), rows, cudaMemcpyHostToDevice);
  cudaFree(d);
}

// A factor that the allocation leaves out.
__global__ void products(const float *x, float *g, int d) {
  if (threadIdx.x == 0)
    g[(size_t(blockIdx.z) * d + blockIdx.y) * d + blockIdx.x] = x[size_t(blockIdx.z) * d + blockIdx.x] * x[size_t(blockIdx.z) * d + blockIdx.y];
}
void workspaceBad(const float *x, float *h, int batch, int d) {
  float *g;
  cudaMalloc(&g, size_t(d) * d * sizeof(float)); // expect: reject alloc_size
  products<<<dim3(d, d, batch), 32>>>(x, g, d);
  cudaMemcpy(h, g, d * d * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(g);
}

// What a launcher allocates, and its launches pass the end of.
__global__ void partials(const float *x, float *part, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = i < n ? x[i] : 0;
  for (int o = 16; o > 0; o >>= 1)
    s += __shfl_down_sync(0xffffffffu, s, o);
  if (threadIdx.x == 0)
    part[blockIdx.x] = s;
}
void partialsBad(const float *x, int n) {
  float *part;
  cudaMalloc(&part, (n + 63) / 64 * sizeof(float)); // expect: reject alloc_size
  partials<<<(n + 31) / 32, 32>>>(x, part, n);
  cudaFree(part);
}
void partialsGood(const float *x, int n) {
  float *part;
  cudaMalloc(&part, (n + 31) / 32 * sizeof(float));
  partials<<<(n + 31) / 32, 32>>>(x, part, n);
  cudaFree(part);
}

// What steps over elements counts no bytes.
void halosBad(float *cells, const float *above, int nz, size_t plane) {
  cudaMemcpy(cells + (nz + 1) * plane, above + plane, plane, cudaMemcpyDeviceToDevice); // expect: reject memcpy_size
  cudaMemcpy(cells + (nz + 1) * plane, above + plane, plane * sizeof(float), cudaMemcpyDeviceToDevice);
  cudaMemcpy((char *)cells + nz * plane, (const char *)above + plane, plane, cudaMemcpyDeviceToDevice);
}

// A container's size() where the allocation has its sizeof, and an allocation of two parts.
void partsGood(const float *x, double *host, int n) {
  double *energy;
  const size_t bytes = n * sizeof(*energy);
  cudaMalloc(&energy, bytes + n * sizeof(float2));
  float2 *work = reinterpret_cast<float2 *>(energy + n);
  cudaMemcpy(work, x, n * sizeof(float2), cudaMemcpyDeviceToDevice);
  cudaMemcpy(host, energy, bytes, cudaMemcpyDeviceToHost);
  cudaFree(energy);
}

// Rows of a copy: both pitches and the width are bytes.
void cropBad(const float *img, int pitch, float *window, int x, int cols, int rows) {
  cudaMemcpy2D(window, cols * sizeof(float), img + x, pitch * sizeof(float), cols, rows, cudaMemcpyDeviceToDevice); // expect: reject memcpy_size
}
void cropGood(const float *img, int pitch, float *window, unsigned char *bytes, int x, int cols, int rows) {
  cudaMemcpy2D(window, cols * sizeof(float), img + x, pitch * sizeof(float), cols * sizeof(float), rows, cudaMemcpyDeviceToDevice);
  cudaMemcpy2D(bytes, cols, img, pitch * sizeof(float), cols, rows, cudaMemcpyDeviceToDevice);
}

// An extent by its name, and the size of the pointer in place of the element's.
constexpr int Taps = 64;
__constant__ float tapsOf[Taps];
__constant__ unsigned char maskOf[Taps];
struct Edge {
  int from, to;
  float weight;
  int kind;
};
void tapsBad(const float *host, int n) {
  cudaMemcpyToSymbolAsync(tapsOf, host, Taps, 0, cudaMemcpyHostToDevice, nullptr); // expect: reject memcpy_size
  Edge *edges = nullptr;
  cudaMalloc(&edges, n * sizeof(edges)); // expect: reject alloc_size
  cudaFree(edges);
}
void tapsGood(const float *host, const unsigned char *mask, int n) {
  cudaMemcpyToSymbolAsync(tapsOf, host, Taps * sizeof(float), 0, cudaMemcpyHostToDevice, nullptr);
  cudaMemcpyToSymbolAsync(maskOf, mask, Taps, 0, cudaMemcpyHostToDevice, nullptr);
  Edge *edges = nullptr, **lists = nullptr;
  cudaMalloc(&edges, n * sizeof(*edges));
  cudaMalloc(&lists, n * sizeof(edges));
  cudaFree(edges);
  cudaFree(lists);
}

// As many bytes as the launch after it updates elements, at every size.
__global__ void largestOfRows(const int *x, int *best, int cols) {
  int k = 0;
  for (int c = blockIdx.x * blockDim.x + threadIdx.x; c < cols; c += gridDim.x * blockDim.x)
    k = max(k, x[size_t(blockIdx.y) * cols + c]);
  atomicMax(best + blockIdx.y, k);
}
void fillOfRowsBad(const int *x, int *best, int rows, int cols) {
  cudaMemsetAsync(best, 0, rows); // expect: reject memcpy_size
  largestOfRows<<<dim3(8, rows), 256>>>(x, best, cols);
}
void fillOfRowsOk(const int *x, int *best, int rows, int cols) {
  cudaMemsetAsync(best, 0, rows * sizeof(int));
  largestOfRows<<<dim3(8, rows), 256>>>(x, best, cols);
}
__global__ void countBytes(const unsigned char *x, unsigned *hist, int n) {
  __shared__ unsigned local[256];
  local[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&local[x[i]], 1u);
  __syncthreads();
  if (local[threadIdx.x])
    atomicAdd(&hist[threadIdx.x], local[threadIdx.x]);
}
void fillOfBinsBad(const unsigned char *x, unsigned *hist, int n) {
  cudaMemset(hist, 0, 256); // expect: reject memcpy_size
  countBytes<<<264, 256>>>(x, hist, n);
}
// The rest is set by a launch before.
__global__ void clear(unsigned *hist) { hist[threadIdx.x] = 0; }
void fillAfterLaunchOk(const unsigned char *x, unsigned *hist, int n) {
  clear<<<1, 256>>>(hist);
  cudaMemset(hist, 0, 256);
  countBytes<<<264, 256>>>(x, hist, n);
}

// What a launcher keeps from its first call on.
__global__ void momentsOf(const float *g, float2 *state, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    state[i] = make_float2(state[i].x + g[i], state[i].y + g[i] * g[i]);
}
float2 *makeStateBad(int n) {
  float2 *state = nullptr;
  cudaMalloc(&state, n * sizeof(float)); // expect: reject alloc_size
  cudaMemset(state, 0, n * sizeof(float));
  return state;
}
void step(const float *g, int n) {
  static float2 *state = makeStateBad(n);
  momentsOf<<<128, 256>>>(g, state, n);
}
