// RUN: %kcheck rewrite %s --kernel total --action privatise-atomics --diff | grep "^[-+]" | FileCheck --check-prefix ATOMIC %s
// RUN: %kcheck rewrite %s --kernel total --action grid-stride:blocks=64 --action privatise-atomics --diff | grep "^[-+]" | FileCheck --check-prefix STRIDE %s
// RUN: %kcheck rewrite %s --kernel softmax --action row-per-block --diff | grep "^[-+]" | FileCheck --check-prefix ROWS %s
// RUN: %kcheck rewrite %s --kernel softmax --action row-per-block -o %t.cu
// RUN: %kcheck lint --rules kcheck-sync,kcheck-index-space,kcheck-shared-bounds %t.cu | FileCheck --check-prefix CLEAN %s
// RUN: %kcheck rewrite %t.cu --kernel total --action privatise-atomics --diff | grep "^[-+]" | FileCheck --check-prefix AHEAD %s
// RUN: %kcheck actions %s | FileCheck --check-prefix WHY %s

// AHEAD: {{^\+}}__device__ float blockSum(float value);

// ATOMIC: {{^\+}}__device__ float blockSum(float value) {
// ATOMIC: {{^\+}}  float blockPart = 0;
// ATOMIC: {{^\+}}    blockPart += x[i];
// ATOMIC: {{^\+}}  blockPart = blockSum(blockPart);
// ATOMIC: {{^\+}}  if (threadIdx.x == 0)
// ATOMIC: {{^\+}}    atomicAdd(out, blockPart);
// STRIDE: {{^\+}}  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
// STRIDE: {{^\+}}    blockPart += x[i];
// STRIDE: {{^\+}}    atomicAdd(out, blockPart);
__global__ void total(const float *x, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  atomicAdd(out, x[i]);
}
void launch_total(const float *x, float *out, int n) { total<<<(n + 255) / 256, 256>>>(x, out, n); }

// WHY-LABEL: privatise-atomics:
// WHY: - [[#@LINE+4]] histogram: atomics of one place: the atomic's place differs between the threads of a block
__global__ void histogram(const int *x, int *bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(&bins[x[i]], 1);
}
void launch_histogram(const int *x, int *bins, int n) { histogram<<<(n + 255) / 256, 256>>>(x, bins, n); }

// ROWS: {{^\+}}__device__ float blockMax(float value) {
// ROWS: {{^\+}}__device__ float blockSum(float value) {
// ROWS: {{^\+}}  const int r = blockIdx.x;
// ROWS: {{^\+}}  for (int c = threadIdx.x; c < cols; c += blockDim.x)
// ROWS: {{^\+}}  top = blockMax(top);
// ROWS: {{^\+}}  for (int c = threadIdx.x; c < cols; c += blockDim.x)
// ROWS: {{^\+}}  sum = blockSum(sum);
// ROWS: {{^\+}}  if (threadIdx.x == 0)
// ROWS: {{^\+}}    sums[r] = sum;
// ROWS: {{^\+}}  softmax<<<rows, 128>>>(x, y, sums, rows, cols);
// CLEAN: result: PASS
__global__ void softmax(const float *x, float *y, float *sums, int rows, int cols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows)
    return;
  const float *in = x + (size_t)r * cols;
  float *out = y + (size_t)r * cols;
  float top = in[0];
  for (int c = 1; c < cols; ++c)
    top = fmaxf(top, in[c]);
  float sum = 0.0f;
  for (int c = 0; c < cols; ++c)
    sum += expf(in[c] - top);
  sums[r] = sum;
  for (int c = 0; c < cols; ++c)
    out[c] = expf(in[c] - top) / sum;
}
void launch_softmax(const float *x, float *y, float *sums, int rows, int cols) {
  softmax<<<(rows + 127) / 128, 128>>>(x, y, sums, rows, cols);
}

// WHY-LABEL: row-per-block:
// WHY: - [[#@LINE+1]] scan: one row a thread: line [[#@LINE+7]]: the running value of sum is used in the loop
__global__ void scan(const float *x, float *y, int rows, int cols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows)
    return;
  float *out = y + (size_t)r * cols;
  float sum = 0.0f;
  for (int c = 0; c < cols; ++c) {
    sum += x[(size_t)r * cols + c];
    out[c] = sum;
  }
}
void launch_scan(const float *x, float *y, int rows, int cols) { scan<<<(rows + 127) / 128, 128>>>(x, y, rows, cols); }
