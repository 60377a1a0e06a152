// RUN: %kcheck rewrite %s --kernel rows --action fuse-passes --diff | grep "^[-+]" | FileCheck --check-prefix ROWS %s
// RUN: %kcheck rewrite %s --kernel spread --action fuse-passes --diff | grep "^[-+]" | FileCheck --check-prefix SPREAD %s
// RUN: %kcheck rewrite %s --kernel named --action fuse-passes --diff | grep "^[-+]" | FileCheck --check-prefix NAMED %s
// RUN: %kcheck rewrite %s --kernel softmax --action stage-row:items=8 -o %t.cu
// RUN: FileCheck --check-prefix SHARED --input-file %t.cu %s
// RUN: %kcheck lint --rules kcheck-sync,kcheck-index-space,kcheck-shared-bounds %t.cu | FileCheck --check-prefix CLEAN %s
// RUN: %kcheck rewrite %t.cu --kernel softmax --action stage-row:items=4 --diff | grep "^[-+]" | FileCheck --check-prefix AGAIN %s
// RUN: %kcheck actions %s | FileCheck --check-prefix WHY %s
#include <math.h>

// Variables of the passes' bodies are names for their values.
// ROWS: {{^\+}} {{.*}}const float next = x[r * cols + c];
// ROWS: {{^\+}} {{.*}}if (next > top) {
// ROWS: {{^\+}} {{.*}}sum += expf(next - (top > -INFINITY ? top : 0));
__global__ void rows(const float *x, float *out, int count, int cols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= count)
    return;
  float top = -INFINITY;
  for (int c = 0; c < cols; ++c) {
    int at = r * cols + c;
    float value = x[at];
    top = fmaxf(top, value);
  }
  float sum = 0.0f;
  for (int c = 0; c < cols; ++c) {
    int at = r * cols + c;
    float far = x[at] - top;
    sum += expf(far);
  }
  out[r] = top + logf(sum);
}
void launch_rows(const float *x, float *out, int count, int cols) { rows<<<(count + 127) / 128, 128>>>(x, out, count, cols); }

// The mean moves with each value.
// SPREAD: {{^\-}}  mean /= cols;
// SPREAD: {{^\+}} {{.*}}const float shift = next - mean;
// SPREAD-NEXT: {{^\+}} {{.*}}mean += shift / (c + 1);
// SPREAD-NEXT: {{^\+}} {{.*}}squares += shift * (next - mean);
__global__ void spread(const float *x, float *out, int count, int cols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= count)
    return;
  float mean = 0.0f;
  for (int c = 0; c < cols; ++c)
    mean += x[r * cols + c];
  mean /= cols;
  float squares = 0.0f;
  for (int c = 0; c < cols; ++c) {
    float d = x[r * cols + c] - mean;
    squares += d * d;
  }
  out[r] = sqrtf(squares / cols);
}
void launch_spread(const float *x, float *out, int count, int cols) { spread<<<(count + 127) / 128, 128>>>(x, out, count, cols); }

// NAMED: {{^\-}} {{.*}}double sum = 0;
// NAMED: {{^\-}} {{.*}}const double mean = sum / (double)cols;
// NAMED: {{^\+}} {{.*}}double mean = 0;
// NAMED: {{^\+}} {{.*}}mean += shift / (k + 1);
__global__ void named(const double *x, double *out, int count, int cols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= count)
    return;
  double sum = 0;
  for (int k = 0; k < cols; k++)
    sum += x[r * cols + k];
  const double mean = sum / (double)cols;
  double squares = 0;
  for (int c = 0; c < cols; c++)
    squares += (x[r * cols + c] - mean) * (x[r * cols + c] - mean);
  out[r] = squares / cols;
}
void launch_named(const double *x, double *out, int count, int cols) { named<<<(count + 127) / 128, 128>>>(x, out, count, cols); }

// WHY-LABEL: fuse-passes:
// WHY: - {{.*}} partly: two passes: the mean is not the sum over the number of values
// WHY: - {{.*}} other: two passes: the second pass does not sum squares of distances from the mean of the same values
__global__ void partly(const float *x, float *out, int count, int cols, int weight) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= count)
    return;
  float mean = 0.0f, squares = 0.0f;
  for (int c = 0; c < cols; ++c)
    mean += x[r * cols + c];
  mean /= weight;
  for (int c = 0; c < cols; ++c)
    squares += (x[r * cols + c] - mean) * (x[r * cols + c] - mean);
  out[r] = squares;
}
__global__ void other(const float *x, const float *y, float *out, int count, int cols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= count)
    return;
  float mean = 0.0f, squares = 0.0f;
  for (int c = 0; c < cols; ++c)
    mean += x[r * cols + c];
  mean /= cols;
  for (int c = 0; c < cols; ++c)
    squares += (y[r * cols + c] - mean) * (x[r * cols + c] - mean);
  out[r] = squares;
}

// Arrays that are declared between the passes serve both ways, and a pointer that was moved to the block's row is the row.
// SHARED:      {{^}}  x += blockIdx.x * cols;
// SHARED:      {{^}}  __shared__ float tops[128];
// SHARED-NEXT: {{^}}  __shared__ float sums[128];
// SHARED-NEXT: {{^}}  if (cols <= 8 * blockDim.x) {
// SHARED-NEXT: {{^}}    float xRow[8];
// SHARED-NOT:  {{^ +}}__shared__
// SHARED:      {{^}}  } else {
// SHARED-NOT:  {{^ +}}__shared__
// SHARED:      {{^}}void launch_softmax
// CLEAN: result: PASS
// AGAIN: {{^\+}} {{.*}}if (cols <= 4 * blockDim.x) {
// AGAIN-NOT: __shared__
__global__ void softmax(const float *__restrict__ x, float *__restrict__ y, int cols) {
  int t = threadIdx.x;
  x += blockIdx.x * cols;
  y += blockIdx.x * cols;
  float top = -INFINITY;
  for (int c = t; c < cols; c += blockDim.x)
    top = fmaxf(top, x[c]);
  __shared__ float tops[128];
  tops[t] = top;
  __syncthreads();
  for (int s = 64; s > 0; s /= 2) {
    if (t < s)
      tops[t] = fmaxf(tops[t], tops[t + s]);
    __syncthreads();
  }
  top = tops[0];
  float sum = 0;
  for (int c = t; c < cols; c += blockDim.x)
    sum += expf(x[c] - top);
  __shared__ float sums[128];
  sums[t] = sum;
  __syncthreads();
  for (int s = 64; s > 0; s /= 2) {
    if (t < s)
      sums[t] += sums[t + s];
    __syncthreads();
  }
  sum = sums[0];
  for (int c = t; c < cols; c += blockDim.x)
    y[c] = expf(x[c] - top) / sum;
}
void launch_softmax(const float *x, float *y, int rows, int cols) { softmax<<<rows, 128>>>(x, y, cols); }
// WHY: - {{.*}} first: two passes: the second pass does not sum squares of distances from the mean of the same values
__global__ void first(const float *x, float *out, int cols) {
  float mean = 0.0f, squares = 0.0f;
  for (int c = 0; c < cols; ++c)
    mean += x[c];
  mean /= cols;
  for (int c = 0; c < cols; ++c)
    squares += (x[0] - mean) * (x[0] - mean);
  *out = squares;
}

// Changed in place: the elements are loaded before the loop's body stores them.
// RUN: %kcheck rewrite %s --kernel squash --action vectorize-loads --diff | grep "^+" | FileCheck --check-prefix SQUASH %s
// SQUASH: const float4 xQuad = *reinterpret_cast<const float4 *>(&x[i]);
// SQUASH: xPart[part] = xPart[part] * 0.5f + 1.0f;
__global__ void squash(float *x, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    x[i] = x[i] * 0.5f + 1.0f;
}
void launch_squash(float *x, int n) { squash<<<(n + 255) / 256, 256>>>(x, n); }
