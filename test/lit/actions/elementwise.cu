// RUN: %kcheck rewrite %s --kernel scale --action vectorize-loads --diff | grep "^[-+]" | FileCheck --check-prefix VECTOR %s
// RUN: %kcheck rewrite %s --kernel scale --action grid-stride --diff | grep "^[-+]" | FileCheck --check-prefix STRIDE %s
// RUN: %kcheck rewrite %s --kernel scale --action grid-stride:blocks=64 --diff | grep "^[-+]" | FileCheck --check-prefix HELD %s
// RUN: %kcheck rewrite %s --kernel scale --action coarsen --diff | grep "^[-+]" | FileCheck --check-prefix COARSE %s
// RUN: %kcheck rewrite %s --kernel scale --action block-shape:x=128 --diff | grep "^[-+]" | FileCheck --check-prefix SHAPE %s
// RUN: %kcheck rewrite %s --kernel flip --action block-shape:x=64,y=4 --diff | grep "^[-+]" | FileCheck --check-prefix SHAPE2 %s
// RUN: %kcheck rewrite %s --kernel flip --action interchange --diff | grep "^[-+]" | FileCheck --check-prefix SWAP %s
// RUN: %kcheck rewrite %s --kernel valid --action block-shape:x=512 --diff | grep "^[-+]" | FileCheck --check-prefix VALID %s
// RUN: %kcheck rewrite %s --kernel counted --action block-shape:x=512 --diff | grep "^[-+]" | FileCheck --check-prefix COUNTED %s
// RUN: %kcheck actions %s | FileCheck --check-prefix WHY %s

// VECTOR: {{^\+}}  int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
// VECTOR: {{^\+}}  if (i + 3 < n
// VECTOR: const float4 aQuad = *reinterpret_cast<const float4 *>(&a[i]);
// VECTOR: bPart[part] = 2.0f * aPart[part];
// VECTOR: make_float4(bPart[0], bPart[1], bPart[2], bPart[3]);
// VECTOR: {{^\+}}  scale<<<(n + 1023) / 1024, 256>>>(a, b, n);
// STRIDE: {{^\+}}  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
// HELD: {{^\+}}  scale<<<(n + 255) / 256 < 64 ? (n + 255) / 256 : 64, 256>>>(a, b, n);
// COARSE: const int first = blockIdx.x * (blockDim.x * 4) + threadIdx.x;
// COARSE: const int i = first + item * blockDim.x;
// SHAPE: {{^\+}}  scale<<<(n + 127) / 128, 128>>>(a, b, n);
// SHAPE-NOT: {{^[-+]}}
__global__ void scale(const float *a, float *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    // twice the value
    b[i] = 2.0f * a[i];
  }
}
void launch_scale(const float *a, float *b, int n) {
  scale<<<(n + 255) / 256, 256>>>(a, b, n);
}

// SHAPE2: {{^\+}}  dim3 block(64, 4);
// SHAPE2: {{^\+}}  dim3 grid((cols + 63) / 64, (rows + 3) / 4);
// SWAP: {{^\+}}  int c = blockIdx.x * blockDim.y + threadIdx.y;
// SWAP: {{^\+}}  int r = blockIdx.y * blockDim.x + threadIdx.x;
// SWAP: {{^\+}}  dim3 block(8, 32);
// SWAP: {{^\+}}  dim3 grid((cols + block.y - 1) / block.y, (rows + block.x - 1) / block.x);
__global__ void flip(const float *x, float *y, int rows, int cols) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  int r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r < rows && c < cols)
    y[c * rows + r] = x[r * cols + c];
}
void launch_flip(const float *x, float *y, int rows, int cols) {
  dim3 block(32, 8);
  dim3 grid((cols + block.x - 1) / block.x, (rows + block.y - 1) / block.y);
  flip<<<grid, block>>>(x, y, rows, cols);
}

// WHY-LABEL: block-shape:
// WHY: - [[#@LINE+9]] total: blocks of the launches: threads of a block meet in __syncthreads
// WHY-LABEL: coarsen:
// WHY: - [[#@LINE+7]] total: one element a thread: the kernel uses shared memory
// WHY: - [[#@LINE+15]] early: one element a thread: the bound is read from memory
// WHY-LABEL: interchange:
// WHY: - {{[0-9]+}} scale: x and y of the threads: the kernel has one thread index only
// WHY-LABEL: vectorize-loads:
// WHY: - [[#@LINE+2]] total: one element a thread: the kernel uses shared memory
// WHY: - [[#@LINE+10]] early: one element a thread: the bound is read from memory
__global__ void total(const float *a, float *b, int n) {
  __shared__ float s[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x] = i < n ? a[i] : 0.0f;
  __syncthreads();
  if (i < n)
    b[i] = s[255 - threadIdx.x];
}

__global__ void early(const float *a, float *b, const int *n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n[0])
    return;
  b[i] = a[i];
}
void launch_total(const float *a, float *b, int n) { total<<<(n + 255) / 256, 256>>>(a, b, n); }

// A grid whose words name the block's variable keeps meaning what the variable was.
// VALID-NOT: dim3 block(512)
// VALID: dim3 grid(((n - k + block.x) / block.x * 256 + 511) / 512);
// VALID: valid<<<grid, 512>>>(a, b, n, k);
__global__ void valid(const float *a, float *b, int n, int k) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int m = n - k + 1;
  if (i < m)
    b[i] = a[i] + a[i + k - 1];
}
void launch_valid(const float *a, float *b, int n, int k) {
  dim3 block(256);
  dim3 grid((n - k + block.x) / block.x);
  valid<<<grid, block>>>(a, b, n, k);
}
// COUNTED-NOT: threads = 512
// COUNTED: counted<<<(blocks * threads + 511) / 512, 512>>>(a, b, n, k);
__global__ void counted(const float *a, float *b, int n, int k) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int m = n - k + 1;
  if (i < m)
    b[i] = a[i] + a[i + k - 1];
}
void launch_counted(const float *a, float *b, int n, int k) {
  int threads = 256;
  int blocks = (n - k + threads) / threads;
  counted<<<blocks, threads>>>(a, b, n, k);
}
