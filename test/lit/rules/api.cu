// RUN: %kcheck_test --rules api %s

// device_printf, device_malloc
__global__ void printsBad(float *a) {
  printf("%f\n", a[threadIdx.x]); // expect: review device_printf
}
#ifdef KERNEL_DEBUG
__global__ void printsInDebugOnlyOk(float *a) {
  printf("%f\n", a[threadIdx.x]);
}
#endif
constexpr bool Verbose = false;
__global__ void printsNothingOk(float *a, int n) {
  if (Verbose)
    printf("%f\n", a[threadIdx.x]);
  if (n < 0) {
    printf("bad n %d\n", n);
    __trap();
  }
}
__global__ void allocatesBad(float *a, int n) {
  float *w = new float[n]; // expect: review device_malloc
  w[0] = a[0];
  delete[] w;
}

__global__ void partial(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[blockIdx.x] = in[i];
}

// memcpy_direction
void copiesWrongWayBad(const float *in, int n) {
  float *d, h;
  cudaMalloc(&d, sizeof(float));
  partial<<<1, 32>>>(in, d, n);
  cudaMemcpy(&h, d, sizeof(float), cudaMemcpyHostToDevice); // expect: reject memcpy_direction
  cudaFree(d);
}
float readsDeviceBad(const float *in, int n) {
  float *d;
  cudaMalloc(&d, sizeof(float));
  partial<<<1, 32>>>(in, d, n);
  cudaDeviceSynchronize();
  float r = d[0]; // expect: reject memcpy_direction
  cudaFree(d);
  return r;
}
void copiesOk(const float *in, float *either, int n) {
  float *d, *m, *pinned, h;
  cudaMalloc(&d, sizeof(float));
  cudaMallocManaged(&m, sizeof(float));
  cudaMallocHost(&pinned, sizeof(float));
  cudaMemcpy(&h, d, sizeof(float), cudaMemcpyDeviceToHost);
  cudaMemcpy(d, &h, sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(d, either, sizeof(float), cudaMemcpyDefault);
  cudaMemcpy(pinned, d, sizeof(float), cudaMemcpyDeviceToHost);
  cudaMemcpy(either, d, sizeof(float), cudaMemcpyDeviceToHost);
  m[0] = *pinned;
}

// alloc_size, memcpy_size
void bytesMissingBad(const float *in, int n) {
  const int blocks = 512;
  float *scratch;
  cudaMalloc(&scratch, blocks); // expect: reject alloc_size
  partial<<<blocks, 256>>>(in, scratch, n);
}
void smallerTypeBad(int n) {
  double *d;
  cudaMalloc((void **)&d, n * sizeof(float)); // expect: reject alloc_size
}
__global__ void fillPointers(int *p, int rows) {
  int i = threadIdx.x;
  if (i <= rows)
    p[i] = 4 * i;
}
void oneShortBad(int rows) {
  int *p;
  cudaMalloc(&p, rows * sizeof(int)); // expect: reject alloc_size
  fillPointers<<<1, 32>>>(p, rows);
}
void copiesElementsBad(const float *h, int *hist) {
  const int n = 256;
  float *d;
  cudaMalloc(&d, n * sizeof(float));
  cudaMemcpy(d, h, n, cudaMemcpyHostToDevice); // expect: reject memcpy_size
  cudaMemcpy(d, h, sizeof(h), cudaMemcpyHostToDevice); // expect: reject memcpy_size
  cudaMemcpy(d, h, n * sizeof(double), cudaMemcpyHostToDevice); // expect: reject memcpy_size
}
void sizesOk(const float *in, size_t bytes, int n, int blocks) {
  float *a, *b, *c;
  cudaMalloc(&a, bytes);
  cudaMalloc(&b, 4 * blocks);
  cudaMalloc(&c, (n + 1) * sizeof(float));
  partial<<<blocks, 256>>>(in, b, n);
  float local[4];
  cudaMemcpy(local, c, sizeof(local), cudaMemcpyDeviceToHost);
  cudaMemset(a, 0, bytes);
}

// use_after_free_stream
float usesFreedBad(const float *in, int n) {
  float *d, h = 0;
  cudaMalloc(&d, sizeof(float));
  partial<<<1, 32>>>(in, d, n);
  cudaFree(d);
  cudaMemcpy(&h, d, sizeof(float), cudaMemcpyDeviceToHost); // expect: reject use_after_free_stream
  return h;
}
void otherStreamBad(const float *in, int n, cudaStream_t compute, cudaStream_t copy) {
  float *d;
  cudaMallocAsync(&d, sizeof(float), compute);
  partial<<<1, 32, 0, compute>>>(in, d, n);
  cudaFreeAsync(d, copy); // expect: reject use_after_free_stream
}
void freesOk(const float *in, int n, cudaStream_t compute, bool bad) {
  float *d;
  cudaMallocAsync(&d, sizeof(float), compute);
  if (bad) {
    cudaFree(d);
    return;
  }
  partial<<<1, 32, 0, compute>>>(in, d, n);
  cudaFreeAsync(d, compute);
  cudaMalloc(&d, sizeof(float));
  partial<<<1, 32, 0, compute>>>(in, d, n);
  cudaFree(d);
}

// One case frees, and so does the next.
void casesOk(int kind, float *host, float *d) {
  switch (kind) {
  case 0:
    cudaFreeHost(host);
    cudaFree(d);
    break;
  case 1:
    cudaFreeHost(host);
    cudaFree(d);
    break;
  }
}

// names
extern "C" cudaError_t cudaMallocPooled(void **p, size_t bytes);
void selfDeclaredBad(void **p) {
  cudaMallocPooled(p, 16); // expect: review unknown_api
}
__global__ void oldShuffleBad(float *a) {
  a[threadIdx.x] += __shfl_down(a[threadIdx.x], 1); // expect: reject deprecated_intrinsic
}

// A wrapper counts elements; its body is its own business.
template <typename T> T *safe_malloc(size_t count) {
  T *p = nullptr;
  cudaMalloc(&p, count * sizeof(T));
  return p;
}
void wrapperOk(const float *in, int n) {
  float *s = safe_malloc<float>(512);
  partial<<<512, 256>>>(in, s, n);
  cudaFree(s);
}

// What a launch touches is more than what was allocated for it, at every size.
constexpr int kPerBlock = 256, kBlocksOf = 1024;
__global__ void countOf(const float *x, int *counts, int n) {
  if (threadIdx.x == 0)
    counts[blockIdx.x] = blockIdx.x < n && x[blockIdx.x] > 0.0f;
}
void workspaceBad(const float *x, int n) {
  int *counts = nullptr;
  cudaMalloc(&counts, kPerBlock * sizeof(int)); // expect: reject alloc_size
  countOf<<<kBlocksOf, kPerBlock>>>(x, counts, n);
  cudaFree(counts);
}
void workspaceOk(const float *x, int n) {
  int *counts = nullptr;
  cudaMalloc(&counts, kBlocksOf * sizeof(int));
  countOf<<<kBlocksOf, kPerBlock>>>(x, counts, n);
  cudaFree(counts);
}

// A fill that ends in the middle of an element, and one whose count serves for nothing else.
void fillsBad(float *total, float *sums, unsigned batch) {
  cudaMemset(total, 0, 1); // expect: reject memcpy_size
  cudaMemset(sums, 0, batch); // expect: review memcpy_size
}
void fillsOk(float *total, float *sums, unsigned batch, size_t bytes) {
  cudaMemset(total, 0, 4);
  cudaMemset(sums, 0, batch * sizeof(float));
  cudaMemset(sums, 0, bytes);
}

// One pair a block: as many elements as blocks.
__global__ void firstPairs(const float *x, float2 *pair) {
  if (threadIdx.x == 0)
    pair[blockIdx.x] = make_float2(x[blockIdx.x * 64], x[blockIdx.x * 64 + 1]);
}
void fetchPairsBad(const float *x, float2 *pair, float2 *host, int chunks, cudaStream_t s) {
  firstPairs<<<chunks, 32, 0, s>>>(x, pair);
  cudaMemcpyAsync(host, pair, chunks, cudaMemcpyDeviceToHost, s); // expect: reject memcpy_size
}

// What a kernel gets as a pointer.
__device__ float deviceTable[16];
__constant__ float constantTable[16];
__global__ void scaleBy(const float *x, float *y, const float *table, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] * table[i & 15];
}
void hostPointerBad(float *y, const float *table, int n) {
  float *x = new float[n];
  scaleBy<<<(n + 255) / 256, 256>>>(x, y, table, n); // expect: review memcpy_direction
  delete[] x;
}
void shadowBad(const float *x, float *y, int n) {
  scaleBy<<<(n + 255) / 256, 256>>>(x, y, deviceTable, n); // expect: reject memcpy_direction
}
void copyToShadowBad(const float *host) {
  cudaMemcpy(constantTable, host, sizeof(constantTable), cudaMemcpyHostToDevice); // expect: reject memcpy_direction
}
void symbolOk(const float *host) { cudaMemcpyToSymbol(constantTable, host, sizeof(constantTable)); }
void pinnedOk(float *y, const float *table, int n) {
  float *x;
  cudaMallocHost(&x, n * sizeof(float));
  scaleBy<<<(n + 255) / 256, 256>>>(x, y, table, n);
  cudaDeviceSynchronize();
}

// A fill sets bytes.
void fillBad(float *x, int n) {
  cudaMemset(x, 1, n * sizeof(float)); // expect: review memcpy_size
}
void fillOk(float *x, int *y, unsigned char *z, int n) {
  cudaMemset(x, 0, n * sizeof(float));
  cudaMemset(y, 0xff, n * sizeof(int));
  cudaMemset(y, 0x3f, n * sizeof(int));
  cudaMemset(z, 1, n);
}

// Who waits for whom.
__global__ void sumInto(const float *x, float *sum, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(sum, x[i]);
}
__global__ void twice(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = 2 * x[i];
}
float managedBad(const float *x, int n) {
  float *sum;
  cudaMallocManaged(&sum, sizeof(float));
  *sum = 0;
  sumInto<<<(n + 255) / 256, 256>>>(x, sum, n);
  return *sum; // expect: reject use_after_free_stream
}
float managedOk(const float *x, int n) {
  float *sum;
  cudaMallocManaged(&sum, sizeof(float));
  *sum = 0;
  sumInto<<<(n + 255) / 256, 256>>>(x, sum, n);
  cudaDeviceSynchronize();
  return *sum;
}
void streamsBad(const float *x, float *t, float *y, int n) {
  cudaStream_t first, second;
  cudaStreamCreate(&first);
  cudaStreamCreate(&second);
  twice<<<(n + 255) / 256, 256, 0, first>>>(x, t, n);
  twice<<<(n + 255) / 256, 256, 0, second>>>(t, y, n); // expect: reject use_after_free_stream
}
void streamsOk(const float *x, float *t, float *y, float *sum, int n) {
  cudaStream_t first, second;
  cudaStreamCreate(&first);
  cudaStreamCreate(&second);
  twice<<<(n + 255) / 256, 256, 0, first>>>(x, t, n);
  twice<<<(n + 255) / 256, 256, 0, second>>>(x, y, n);
  sumInto<<<(n + 255) / 256, 256, 0, first>>>(t, sum, n);
  sumInto<<<(n + 255) / 256, 256, 0, second>>>(y, sum, n); // atomics of both
  cudaStreamSynchronize(first);
  twice<<<(n + 255) / 256, 256, 0, second>>>(t, y, n);
}

// A pointer that is itself copied to a symbol.
__constant__ float *constantPointer;
void pointerToSymbolOk(float *device) { cudaMemcpyToSymbol(constantPointer, &device, sizeof(float *)); }

// Bytes by a helper; a symbol's elements for its bytes.
template <typename T> constexpr size_t bytesOf(size_t n) { return n * sizeof(T); }
void helperOk(const float *h, int n) {
  float *d;
  cudaMalloc(&d, bytesOf<float>(n));
  cudaMemcpy(d, h, bytesOf<float>(n), cudaMemcpyHostToDevice);
  twice<<<(n + 255) / 256, 256>>>(d, d, n);
  cudaFree(d);
}
__constant__ float cameraRows[3 * 4];
void symbolBad(const float *h) {
  cudaMemcpyToSymbol(cameraRows, h, 3 * 4); // expect: reject memcpy_size
}

// A list counted in bytes of another, and a container's own size.
void listsBad(int nodes) {
  int *now, *next;
  cudaMalloc(&now, nodes * sizeof(int));
  cudaMalloc(&next, nodes * sizeof(unsigned char)); // expect: reject alloc_size
  cudaFree(now);
  cudaFree(next);
}
void bytesOk(int nodes, int bytes) {
  int *list, *raw;
  cudaMalloc(&list, nodes * sizeof(int));
  cudaMalloc(&raw, bytes * sizeof(char));
  cudaFree(list);
  cudaFree(raw);
}
