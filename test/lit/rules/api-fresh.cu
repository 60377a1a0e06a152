// RUN: %kcheck_test --rules api %s
// Memory that a kernel reads or updates before anything is stored in it; bytes of a fill.
#include <cuda_runtime.h>

__global__ void accumulate(const float *x, float *sums, int rows, int cols) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= cols)
    return;
  float s = 0.f;
  for (int r = blockIdx.y; r < rows; r += gridDim.y)
    s += x[(size_t)r * cols + c];
  atomicAdd(&sums[c], s);
}
__global__ void store(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i];
}
__global__ void raise(int *flag, const int *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] < 0)
    atomicExch(flag, 1);
}
__global__ void weigh(const float *x, const float *w, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] * w[i];
}
dim3 over(int cols) { return dim3((cols + 255) / 256, 8); }

void sumsIntoFreshBad(const float *x, float *h, int rows, int cols, cudaStream_t s) {
  float *sums;
  cudaMallocAsync(&sums, cols * sizeof(float), s); // expect: reject uninitialised_memory
  accumulate<<<over(cols), 256, 0, s>>>(x, sums, rows, cols);
  cudaMemcpyAsync(h, sums, cols * sizeof(float), cudaMemcpyDeviceToHost, s);
  cudaFreeAsync(sums, s);
}
void sumsIntoZerosOk(const float *x, float *h, int rows, int cols, cudaStream_t s) {
  float *sums;
  cudaMallocAsync(&sums, cols * sizeof(float), s);
  cudaMemsetAsync(sums, 0, cols * sizeof(float), s);
  accumulate<<<over(cols), 256, 0, s>>>(x, sums, rows, cols);
  cudaMemcpyAsync(h, sums, cols * sizeof(float), cudaMemcpyDeviceToHost, s);
  cudaFreeAsync(sums, s);
}
void sumsAfterAStoreOk(const float *x, const float *bias, int rows, int cols, cudaStream_t s) {
  float *sums;
  cudaMallocAsync(&sums, cols * sizeof(float), s);
  store<<<(cols + 255) / 256, 256, 0, s>>>(bias, sums, cols);
  accumulate<<<over(cols), 256, 0, s>>>(x, sums, rows, cols);
  cudaFreeAsync(sums, s);
}
void zero(float *p, int n);
void sumsElsewhereSetOk(const float *x, int rows, int cols, cudaStream_t s) {
  float *sums;
  cudaMallocAsync(&sums, cols * sizeof(float), s);
  zero(sums, cols);
  accumulate<<<over(cols), 256, 0, s>>>(x, sums, rows, cols);
  cudaFreeAsync(sums, s);
}
void readsFreshDoubt(const float *x, float *y, int n, cudaStream_t s) {
  float *w;
  cudaMallocAsync(&w, n * sizeof(float), s); // expect: review uninitialised_memory
  weigh<<<(n + 255) / 256, 256, 0, s>>>(x, w, y, n);
  cudaFreeAsync(w, s);
}
void storesInADispatchOk(const float *x, const float *in, float *y, int n, int kind, cudaStream_t s) {
  float *w;
  cudaMallocAsync(&w, n * sizeof(float), s);
  [&] {
    switch (kind) {
    default:
      return [&] { store<<<(n + 255) / 256, 256, 0, s>>>(in, w, n); }();
    }
  }();
  weigh<<<(n + 255) / 256, 256, 0, s>>>(x, w, y, n);
  cudaFreeAsync(w, s);
}
void keptBetweenCallsOk(const float *x, int rows, int cols, cudaStream_t s) {
  static float *sums;
  if (!sums)
    cudaMalloc(&sums, 4096 * sizeof(float));
  accumulate<<<over(cols), 256, 0, s>>>(x, sums, rows, cols);
}
void storesFirstOk(const float *x, int n, cudaStream_t s) {
  float *y;
  cudaMallocAsync(&y, n * sizeof(float), s);
  store<<<(n + 255) / 256, 256, 0, s>>>(x, y, n);
  cudaFreeAsync(y, s);
}
void inALoopOk(const float *x, int rows, int cols, int rounds, cudaStream_t s) {
  float *sums;
  cudaMallocAsync(&sums, cols * sizeof(float), s);
  for (int k = 0; k < rounds; ++k) {
    if (k == 0)
      cudaMemsetAsync(sums, 0, cols * sizeof(float), s);
    accumulate<<<over(cols), 256, 0, s>>>(x, sums, rows, cols);
  }
  cudaFreeAsync(sums, s);
}
void exchangesOnlyOk(const int *x, int n, cudaStream_t s) {
  int *flag;
  cudaMallocAsync(&flag, sizeof(int), s);
  raise<<<(n + 255) / 256, 256, 0, s>>>(flag, x, n);
  cudaFreeAsync(flag, s);
}

void fills(int *level, float *best, unsigned *key, int n, cudaStream_t s) {
  cudaMemsetAsync(level, 0x7fffffff, n * sizeof(int), s); // expect: reject memcpy_size
  cudaMemsetAsync(best, 1000, n * sizeof(float), s); // expect: reject memcpy_size
  cudaMemsetAsync(level, 0x7f7f7f7f, n * sizeof(int), s);
  cudaMemsetAsync(level, 0xff, n * sizeof(int), s);
  cudaMemsetAsync(key, 0xffffffff, n * sizeof(unsigned), s);
  cudaMemsetAsync(level, -1, n * sizeof(int), s);
}

// Changed in place, of fresh memory.
__global__ void addTwice(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] += 2.0f * x[i];
}
__global__ void startThenAddOk(const float *x, float *y, int rows, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  y[i] = 0.0f;
  for (int r = 0; r < rows; ++r)
    y[i] += x[r * n + i];
}
void changesFresh(const float *x, float *host, int rows, int n) {
  float *twice, *sums, *filled;
  cudaMalloc(&twice, n * sizeof(float)); // expect: reject uninitialised_memory
  cudaMalloc(&sums, n * sizeof(float));
  cudaMalloc(&filled, n * sizeof(float));
  cudaMemset(filled, 0, n * sizeof(float));
  addTwice<<<(n + 255) / 256, 256>>>(x, twice, n);
  startThenAddOk<<<(n + 255) / 256, 256>>>(x, sums, rows, n);
  addTwice<<<(n + 255) / 256, 256>>>(x, filled, n);
  cudaMemcpy(host, twice, n * sizeof(float), cudaMemcpyDeviceToHost);
  cudaMemcpy(host, sums, n * sizeof(float), cudaMemcpyDeviceToHost);
  cudaMemcpy(host, filled, n * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(twice);
  cudaFree(sums);
  cudaFree(filled);
}
