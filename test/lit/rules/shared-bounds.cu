// RUN: %kcheck_test %s
#include <cuda_runtime.h>

__global__ void sumDyn(const float *x, float *out, int cols) {
  extern __shared__ float buf[];
  float s = 0.0f;
  for (int c = threadIdx.x; c < cols; c += blockDim.x)
    s += x[blockIdx.x * cols + c];
  buf[threadIdx.x] = s;
  __syncthreads();
  for (int h = blockDim.x / 2; h > 0; h >>= 1) {
    if (threadIdx.x < h)
      buf[threadIdx.x] += buf[threadIdx.x + h];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    out[blockIdx.x] = buf[0];
}

void launchNoBytesBad(const float *x, float *out, int rows, int cols) {
  sumDyn<<<rows, 256>>>(x, out, cols); // expect: reject dynamic_shared_missing
}
void launchElementsBad(const float *x, float *out, int rows, int cols) {
  sumDyn<<<rows, 256, 256>>>(x, out, cols); // expect: reject dynamic_shared_too_small
}
void launchOk(const float *x, float *out, int rows, int cols) {
  const size_t bytes = 256 * sizeof(float);
  sumDyn<<<rows, 256, bytes>>>(x, out, cols);
}
void launchApiBad(const float *x, float *out, int rows, int cols) {
  void *args[] = {&x, &out, &cols};
  cudaLaunchKernel((const void *)sumDyn, dim3(rows), dim3(256), args, 0, 0); // expect: reject dynamic_shared_missing
}

// The bytes come from the caller: nothing to hold against the launch.
void launchGivenOk(const float *x, float *out, int rows, int cols, int smem) { sumDyn<<<rows, 256, smem>>>(x, out, cols); }

constexpr int kBlock = 256, kRadius = 3;
__global__ void haloBad(const float *in, float *out, int n) {
  __shared__ float line[kBlock];
  for (int k = threadIdx.x; k < kBlock + 2 * kRadius; k += kBlock) {
    int j = min(max(int(blockIdx.x * kBlock) - kRadius + k, 0), n - 1);
    line[k] = in[j]; // expect: reject shared_index_out_of_range
  }
  __syncthreads();
  int i = blockIdx.x * kBlock + threadIdx.x;
  if (i < n)
    out[i] = line[threadIdx.x] + line[threadIdx.x + kRadius];
}
void launchHalo(const float *in, float *out, int n) {
  haloBad<<<(n + kBlock - 1) / kBlock, kBlock>>>(in, out, n);
}
__global__ void haloOk(const float *in, float *out, int n) {
  __shared__ float line[kBlock + 2 * kRadius];
  for (int k = threadIdx.x; k < kBlock + 2 * kRadius; k += kBlock) {
    int j = min(max(int(blockIdx.x * kBlock) - kRadius + k, 0), n - 1);
    line[k] = in[j];
  }
  __syncthreads();
  int i = blockIdx.x * kBlock + threadIdx.x;
  if (i < n)
    out[i] = line[threadIdx.x] + line[threadIdx.x + kRadius];
}
void launchWideHalo(const float *in, float *out, int n) { haloOk<<<(n + kBlock - 1) / kBlock, kBlock>>>(in, out, n); }

__global__ void hugeBad(const float *in, float *out) {
  __shared__ float tile[128][129]; // expect: reject static_shared_too_large
  tile[threadIdx.x][0] = in[threadIdx.x];
  out[blockIdx.x * blockDim.x + threadIdx.x] = tile[threadIdx.x][0];
}

template <bool Square> __global__ void bigTile(const float *in, float *out) {
  extern __shared__ float big[];
  for (int i = threadIdx.x; i < 16384; i += 1024)
    big[i] = in[i];
  for (int i = threadIdx.x; i < 16384; i += 1024)
    out[i] = Square ? big[i] * big[i] : big[i];
}
void launchNoOptInBad(const float *in, float *out) {
  bigTile<false><<<1, 1024, 65536>>>(in, out); // expect: reject over_48k_without_attribute
}
void launchOptInOk(const float *in, float *out) {
  cudaFuncSetAttribute(bigTile<true>, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
  bigTile<true><<<1, 1024, 65536>>>(in, out);
}

__global__ void mixed(const float *in, float *out) {
  extern __shared__ float dyn[];
  __shared__ float fixed[5120];
  for (int i = threadIdx.x; i < 5120; i += 256) {
    dyn[i] = in[i];
    fixed[i] = dyn[i];
  }
  out[threadIdx.x] = fixed[threadIdx.x];
}
void launchMixedBad(const float *in, float *out) {
  mixed<<<1, 256, 32768>>>(in, out); // expect: reject static_dynamic_mix
}

__global__ void aliasBad(const float *x, const float *w, float *y) {
  extern __shared__ float sx[];
  extern __shared__ float sw[]; // expect: reject extern_arrays_alias
  sx[threadIdx.x] = x[threadIdx.x];
  sw[threadIdx.x] = w[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = sx[threadIdx.x] * sw[threadIdx.x];
}
void launchAlias(const float *x, const float *w, float *y) {
  aliasBad<<<1, 256, 2048>>>(x, w, y);
}
__global__ void carvedOk(const float *x, const float *w, float *y) {
  extern __shared__ float sx[];
  float *sw = sx + blockDim.x;
  sx[threadIdx.x] = x[threadIdx.x];
  sw[threadIdx.x] = w[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = sx[threadIdx.x] * sw[threadIdx.x];
}
void launchCarved(const float *x, const float *w, float *y) { carvedOk<<<1, 256, 2048>>>(x, w, y); }

__global__ void crookedBad(const double *w, double *total) {
  extern __shared__ int len[];
  double *sum = (double *)(len + blockDim.x + 1); // expect: reject shared_misaligned_carve
  sum[threadIdx.x] = w[threadIdx.x];
  len[threadIdx.x] = 1;
  total[threadIdx.x] = sum[threadIdx.x];
}
void launchCrooked(const double *w, double *total) {
  crookedBad<<<1, 128, 129 * sizeof(int) + 128 * sizeof(double) + 8>>>(w, total);
}

// Whole blocks read their right neighbour's element: one past the tile, as soon as there is a second block.
__global__ void forwardBad(const float *x, float *d, int n) {
  __shared__ float s[256];
  const int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n)
    s[threadIdx.x] = x[i];
  __syncthreads();
  if (i < n)
    d[i] = (i + 1 < n ? s[threadIdx.x + 1] : s[threadIdx.x]) - s[threadIdx.x]; // expect: reject shared_index_out_of_range
}
void launchForward(const float *x, float *d, int n) { forwardBad<<<(n + 255) / 256, 256>>>(x, d, n); }

// A thread's own array has an end, too.
__global__ void ownArrayBad(const float *x, float *y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float part[4];
  for (int k = 0; k <= 4; ++k)
    part[k] = x[i] * k; // expect: reject local_index_out_of_range
  y[i] = part[0] + part[3];
}
__global__ void ownArrayOk(const float *x, float *y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float part[4];
  for (int k = 0; k < 4; ++k)
    part[k] = x[i] * k;
  const float *end = part + 4;
  float sum = 0.0f;
  for (const float *p = part; p != end; ++p)
    sum += *p;
  y[i] = sum;
}
void launchOwnArrays(const float *x, float *y, int n) {
  ownArrayBad<<<(n + 127) / 128, 128>>>(x, y, n);
  ownArrayOk<<<(n + 127) / 128, 128>>>(x, y, n);
}

// A carve that begins where the memory ends: whatever the data lets in is outside.
__global__ void weightedBag(const int *ids, const float *weights, const int *offset, float *y, int most) {
  extern __shared__ int bagIds[];
  float *bagWeights = reinterpret_cast<float *>(bagIds + most);
  int begin = offset[blockIdx.x], length = offset[blockIdx.x + 1] - begin;
  for (int j = threadIdx.x; j < length; j += blockDim.x) {
    bagIds[j] = ids[begin + j];
    bagWeights[j] = weights[begin + j];
  }
  __syncthreads();
  if (threadIdx.x == 0 && length > 0)
    y[blockIdx.x] = bagWeights[0] * bagIds[length - 1];
}
void launchBag(const int *ids, const float *weights, const int *offset, float *y, int bags, int most) {
  if (bags <= 0 || most <= 0 || most > 4096)
    return;
  weightedBag<<<bags, 128, most * sizeof(int)>>>(ids, weights, offset, y, most); // expect: reject dynamic_shared_too_small
}

// Two arrays that are one, read where data says.
__global__ void parentsBad(const float *score, const int *parent, float *y, int beams, int n) {
  extern __shared__ float scores[];
  extern __shared__ int parents[]; // expect: reject extern_arrays_alias
  for (int b = threadIdx.x; b < beams; b += blockDim.x)
    scores[b] = score[b];
  for (int c = threadIdx.x; c < n; c += blockDim.x)
    parents[c] = parent[c];
  __syncthreads();
  for (int c = threadIdx.x; c < n; c += blockDim.x)
    y[c] += scores[parents[c]];
}
void launchParents(const float *score, const int *parent, float *y, int beams, int n) {
  parentsBad<<<1, 128, beams * sizeof(float) + n * sizeof(int)>>>(score, parent, y, beams, n);
}

// How many bytes a launch gives hangs on what the host asks elsewhere: enough, for all that is known.
bool wantsDoubles();
__global__ void pairSumsOk(const float *x, float *y) {
  extern __shared__ float pairs[];
  pairs[threadIdx.x] = x[blockIdx.x * 256 + threadIdx.x];
  pairs[threadIdx.x + 256] = 1.0f;
  __syncthreads();
  y[blockIdx.x * 256 + threadIdx.x] = pairs[255 - threadIdx.x] + pairs[threadIdx.x + 256];
}
void launchPairSums(const float *x, float *y, int blocks) {
  int bytes = 0;
  if (wantsDoubles())
    bytes = 2 * 256 * sizeof(double);
  else
    bytes = 2 * 256 * sizeof(float);
  pairSumsOk<<<blocks, 256, bytes>>>(x, y);
}

// Parts of one array: the second begins inside of the first.
__global__ void carvedOverBad(const float *k, const float *v, float *y, int d) {
  extern __shared__ float parts[];
  float *keys = parts;
  float *values = keys + d; // expect: reject extern_arrays_alias
  for (int j = 0; j < 8; ++j) {
    keys[j * d + threadIdx.x] = k[(blockIdx.x * 8 + j) * d + threadIdx.x];
    values[j * d + threadIdx.x] = v[(blockIdx.x * 8 + j) * d + threadIdx.x];
  }
  __syncthreads();
  float sum = 0;
  for (int j = 0; j < 8; ++j)
    for (int e = 0; e < d; ++e)
      sum += keys[j * d + e] * values[j * d + threadIdx.x];
  y[blockIdx.x * d + threadIdx.x] = sum;
}
__global__ void carvedOk(const float *k, const float *v, float *y, int d) {
  extern __shared__ float parts[];
  float *keys = parts;
  float *values = keys + 8 * d;
  for (int j = 0; j < 8; ++j) {
    keys[j * d + threadIdx.x] = k[(blockIdx.x * 8 + j) * d + threadIdx.x];
    values[j * d + threadIdx.x] = v[(blockIdx.x * 8 + j) * d + threadIdx.x];
  }
  __syncthreads();
  float sum = 0;
  for (int j = 0; j < 8; ++j)
    for (int e = 0; e < d; ++e)
      sum += keys[j * d + e] * values[j * d + threadIdx.x];
  y[blockIdx.x * d + threadIdx.x] = sum;
}
// A tile that is cleared as a whole and filled by its interior, and memory that is used again once all have read it.
__global__ void interiorOk(const float *x, float *y, int d) {
  extern __shared__ float parts[];
  float *tile = parts, *interior = tile + 1;
  tile[threadIdx.x] = 0;
  if (threadIdx.x < 2)
    tile[d + threadIdx.x] = 0;
  __syncthreads();
  interior[threadIdx.x] = x[blockIdx.x * d + threadIdx.x];
  __syncthreads();
  float mine = tile[threadIdx.x] + tile[threadIdx.x + 2];
  __syncthreads();
  float *sums = parts;
  sums[threadIdx.x] = mine;
  __syncthreads();
  y[blockIdx.x * d + threadIdx.x] = sums[d - 1 - threadIdx.x];
}
void launchCarves(const float *k, const float *v, float *y, int heads, int d) {
  if (heads <= 0 || d < 1 || d > 128)
    return;
  carvedOverBad<<<heads, d, 16 * d * sizeof(float)>>>(k, v, y, d);
  carvedOk<<<heads, d, 16 * d * sizeof(float)>>>(k, v, y, d);
  interiorOk<<<heads, d, (d + 2) * sizeof(float)>>>(k, y, d);
}
