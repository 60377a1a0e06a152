// RUN: %kcheck rewrite %s --kernel softmax --action row-per-block --action stage-row:items=8 --action vectorize-loads -o %t.cu
// RUN: FileCheck --check-prefix WIDE --input-file %t.cu %s
// RUN: %kcheck lint --rules kcheck-sync,kcheck-index-space,kcheck-shared-bounds %t.cu | FileCheck --check-prefix CLEAN %s
// RUN: %kcheck rewrite %t.cu --kernel softmax --action stage-row:items=0,shared=2048 --diff | grep "^[-+]" | FileCheck --check-prefix AGAIN %s
// RUN: %kcheck rewrite %s --kernel softmax --action row-per-block --action fuse-passes -o %t.fused.cu
// RUN: FileCheck --check-prefix ONLINE --input-file %t.fused.cu %s
// RUN: %kcheck rewrite %t.fused.cu --kernel softmax --action vectorize-loads --action stage-row:items=1 --diff | grep "^[-+]" | FileCheck --check-prefix FUSED %s
// RUN: %kcheck rewrite %s --kernel moments --action fuse-passes --diff | grep "^[-+]" | FileCheck --check-prefix MOMENTS %s
// RUN: %kcheck rewrite %s --kernel sum --action grid-stride:blocks=64 --action privatise-atomics --action vectorize-loads --diff | grep "^[-+]" | FileCheck --check-prefix SUM %s
// RUN: %kcheck actions %s | FileCheck --check-prefix WHY %s
#include <math.h>

// WIDE:      if (cols % 4 == 0 && cols <= 8 * blockDim.x && (reinterpret_cast<size_t>(&x[r * cols + 0])
// WIDE:      float xRow[2][4];
// WIDE:      for (int item = 0; item < 2; ++item) {
// WIDE-NEXT:   const int c = (item * blockDim.x + threadIdx.x) * 4;
// WIDE-NEXT:   if (c < cols) {
// WIDE-NEXT:     const float4 xQuad = *reinterpret_cast<const float4 *>(&x[r * cols + c]);
// WIDE-NEXT:     xRow[item][0] = xQuad.x;
// WIDE:          for (int part = 0; part < 4; ++part) {
// WIDE-NEXT:       if (xRow[item][part] > top)
// WIDE-NEXT:         top = xRow[item][part];
// WIDE:      top = blockMax(top);
// WIDE:            sum += expf(xRow[item][part] - top);
// WIDE:            yPart[part] = expf(xRow[item][part] - top) / sum;
// WIDE:          *reinterpret_cast<float4 *>(&y[r * cols + c]) = make_float4(yPart[0], yPart[1], yPart[2], yPart[3]);
// WIDE:      } else {
// WIDE:      for (int c = threadIdx.x; c < cols; c += blockDim.x) {
// WIDE-NEXT:   if (x[r * cols + c] > top)
// CLEAN: result: PASS

// AGAIN: {{^\-}} {{.*}}cols <= 8 * blockDim.x
// AGAIN: {{^\+}} {{.*}}cols <= 2048
// AGAIN: {{^\-}} {{.*}}float xRow[2][4];
// AGAIN: {{^\+}} {{.*}}__shared__ __align__(16) float xRow[2048];

// ONLINE:      float sum = 0.0f;
// ONLINE-NEXT: for (int c = threadIdx.x; c < cols; c += blockDim.x) {
// ONLINE-NEXT:   const float next = x[r * cols + c];
// ONLINE-NEXT:   if (next > top) {
// ONLINE-NEXT:     sum *= expf(top - next);
// ONLINE-NEXT:     top = next;
// ONLINE-NEXT:   }
// ONLINE-NEXT:   sum += expf(next - (top > -INFINITY ? top : 0));
// ONLINE-NEXT: }
// ONLINE-NEXT: const float rowTop = blockMax(top);
// ONLINE-NEXT: sum *= expf(top - rowTop);
// ONLINE-NEXT: top = rowTop;
// ONLINE-NEXT: sum = blockSum(sum);
// FUSED: {{^\+}} {{.*}}float xRow[1][4];
// FUSED: {{^\+}} {{.*}}const float next = xRow[item][part];
__global__ void softmax(const float *x, float *y, int rows, int cols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r < rows) {
    float top = -INFINITY;
    for (int c = 0; c < cols; ++c) {
      if (x[r * cols + c] > top)
        top = x[r * cols + c];
    }
    float sum = 0.0f;
    for (int c = 0; c < cols; ++c)
      sum += expf(x[r * cols + c] - top);
    for (int c = 0; c < cols; ++c)
      y[r * cols + c] = expf(x[r * cols + c] - top) / sum;
  }
}
void launch_softmax(const float *x, float *y, int rows, int cols) { softmax<<<(rows + 127) / 128, 128>>>(x, y, rows, cols); }

// MOMENTS: {{^\+}}  float square = 0.0f;
// MOMENTS: {{^\+}}  for (int c = 0; c < cols; ++c) {
// MOMENTS: {{^\+}}    square += x[c] * x[c];
// MOMENTS: {{^\-}}  for (int k = 0; k < cols; ++k)
__global__ void moments(const float *x, float *mean, float *spread, int rows, int cols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows)
    return;
  float sum = 0.0f;
  for (int c = 0; c < cols; ++c)
    sum += x[c];
  float average = sum / cols;
  float square = 0.0f;
  for (int k = 0; k < cols; ++k)
    square += x[k] * x[k];
  mean[r] = average;
  spread[r] = square / cols - average * average;
}
void launch_moments(const float *x, float *mean, float *spread, int rows, int cols) { moments<<<(rows + 127) / 128, 128>>>(x, mean, spread, rows, cols); }

// SUM: {{^\+}} {{.*}}if (reinterpret_cast<size_t>(&x[0]) % 16 == 0) {
// SUM: {{^\+}} {{.*}}i + 3 < n;
// SUM: {{^\+}} {{.*}}i += (blockDim.x * gridDim.x) * 4) {
// SUM: {{^\+}} {{.*}}blockPart += xPart[part];
// SUM: {{^\+}} {{.*}}for (int i = n / 4 * 4 + (blockIdx.x * blockDim.x + threadIdx.x); i < n;
// SUM: {{^\+}} {{.*}}atomicAdd(out, blockPart);
__global__ void sum(const float *x, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(out, x[i]);
}
void launch_sum(const float *x, float *out, int n) { sum<<<(n + 255) / 256, 256>>>(x, out, n); }

// WHY-LABEL: fuse-passes:
// WHY: - {{.*}} normalise: two passes: the second pass rests on what the first one found
// WHY-LABEL: stage-row:
// WHY: - {{.*}} partials: passes over a row: no element is touched by more than one pass
// WHY: - {{.*}} normalise: passes over a row: x is read after a store to y, which could be the same memory: apply qualify first
// WHY-LABEL: vectorize-loads:
// WHY: - {{.*}} partials: passes over a row: line {{[0-9]+}}: a thread's own sum is used before the block adds up (blockSum)
__global__ void partials(const float *x, float *part, int cols) {
  float sum = 0.0f;
  for (int c = threadIdx.x; c < cols; c += blockDim.x)
    sum += x[blockIdx.x * cols + c];
  part[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
void launch_partials(const float *x, float *part, int rows, int cols) { partials<<<rows, 256>>>(x, part, cols); }

__global__ void normalise(const float *x, float *y, float *z, int cols) {
  float sum = 0.0f, squares = 0.0f;
  for (int c = threadIdx.x; c < cols; c += blockDim.x)
    sum += x[blockIdx.x * cols + c];
  for (int c = threadIdx.x; c < cols; c += blockDim.x)
    squares += sum * x[blockIdx.x * cols + c];
  for (int c = threadIdx.x; c < cols; c += blockDim.x)
    y[blockIdx.x * cols + c] = x[blockIdx.x * cols + c] * squares;
  for (int c = threadIdx.x; c < cols; c += blockDim.x)
    z[blockIdx.x * cols + c] = x[blockIdx.x * cols + c] + sum;
}
void launch_normalise(const float *x, float *y, float *z, int rows, int cols) { normalise<<<rows, 256>>>(x, y, z, cols); }
