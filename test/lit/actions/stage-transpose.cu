// RUN: %kcheck rewrite %s --action stage-transpose -o %t.cu
// RUN: %kcheck rewrite %s --action stage-transpose --diff | grep "^[-+]" | FileCheck %s
// RUN: %kcheck rewrite %s --action stage-transpose:tile=32 --diff | grep "^[-+]" | FileCheck --check-prefix SMALL %s
// RUN: %kcheck lint %t.cu | FileCheck --check-prefix CLEAN %s
// RUN: %kcheck actions %s --action stage-transpose | FileCheck --check-prefix WHY %s

// CHECK: {{^\+}}  __shared__ float tile[64][64 + 1];
// CHECK: {{^\+}}  float part[8] = {};
// CHECK: {{^\+}}      part[step] = x[r * cols + c];
// CHECK: {{^\+}}    tile[threadIdx.y + step * 8][threadIdx.x] = part[step];
// CHECK: {{^\+}}  __syncthreads();
// CHECK: {{^\+}}      y[c * rows + r] = 2.0f * tile[threadIdx.x][line];
// CHECK: {{^\+}}  flip<<<dim3((cols + 63) / 64, (rows + 63) / 64), dim3(64, 8)>>>(x, y, rows, cols);
// SMALL: {{^\+}}  __shared__ float tile[32][32 + 1];
// SMALL: {{^\+}}  flip<<<dim3((cols + 31) / 32, (rows + 31) / 32), dim3(32, 8)>>>(x, y, rows, cols);
// CLEAN: result: PASS
__global__ void flip(const float *x, float *y, int rows, int cols) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  int r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r >= rows || c >= cols)
    return;
  y[c * rows + r] = 2.0f * x[r * cols + c];
}
void launch_flip(const float *x, float *y, int rows, int cols) {
  flip<<<dim3((cols + 15) / 16, (rows + 15) / 16), dim3(16, 16)>>>(x, y, rows, cols);
}

// WHY: - [[#@LINE+1]] straight: one element a thread in two dimensions: the store is no transposition of the load
__global__ void straight(const float *x, float *y, int rows, int cols) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  int r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r < rows && c < cols)
    y[r * cols + c] = x[r * cols + c];
}
void launch_straight(const float *x, float *y, int rows, int cols) {
  straight<<<dim3((cols + 15) / 16, (rows + 15) / 16), dim3(16, 16)>>>(x, y, rows, cols);
}

// Places in variables, and a store that follows x.
// RUN: %kcheck rewrite %s --action stage-transpose:tile=32 --kernel gather -o %t3.cu
// RUN: grep -v "^//" %t3.cu | FileCheck --check-prefix GATHER %s
// RUN: %kcheck lint %t3.cu | FileCheck --check-prefix CLEAN %s
// GATHER: {{^ *}}const int c = firstX + line;
// GATHER-NEXT: {{^ *}}const int r = firstY + threadIdx.x;
// GATHER-NEXT: {{^ *}}const int from = c * rows + r;
// GATHER-NEXT: {{^ *}}if (r < rows && c < cols)
// GATHER-NEXT: {{^ *}}  part[step] = x[from];
// GATHER: {{^ *}}const int c = firstX + threadIdx.x;
// GATHER-NEXT: {{^ *}}const int r = firstY + line;
// GATHER-NEXT: {{^ *}}const int to = r * cols + c;
// GATHER: {{^ *}}  y[to] = tile[threadIdx.x][line];
__global__ void gather(const float *x, float *y, int rows, int cols) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  int r = blockIdx.y * blockDim.y + threadIdx.y;
  if (c < cols && r < rows) {
    const int from = c * rows + r;
    const int to = r * cols + c;
    y[to] = x[from];
  }
  return;
}
void launch_gather(const float *x, float *y, int rows, int cols) {
  gather<<<dim3((cols + 15) / 16, (rows + 15) / 16), dim3(16, 16)>>>(x, y, rows, cols);
}
