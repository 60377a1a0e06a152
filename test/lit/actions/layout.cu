// RUN: %kcheck rewrite %s --kernel spread --action layout --diff | grep "^[-+]" | FileCheck --check-prefix TURNED %s
// RUN: %kcheck actions %s | FileCheck --check-prefix WHY %s

// TURNED: {{^\+}}__global__ void toColumns{{[0-9]*}}(const float *from, float *to, int rows, int columns) {
// TURNED: {{^\-}}  const float *in = x + (size_t)r * cols;
// TURNED: {{^\+}}  const float *in = x + r;
// TURNED: {{^\+}}    low = fminf(low, in[(size_t)c * rows]);
// TURNED: {{^\+}}    high = fmaxf(high, x[(size_t)c * rows + r]);
// TURNED: {{^\+}}  float *xColumns = nullptr;
// TURNED: {{^\+}}  cudaMalloc(&xColumns, sizeof(float) * rows * cols);
// TURNED: {{^\+}}  if (rows > 0 && cols > 0)
// TURNED: {{^\+}}    toColumns{{[0-9]*}}<<<dim3((rows + 31) / 32, (cols + 31) / 32), dim3(32, 8)>>>(
// TURNED: {{^\+}}  spread<<<(rows + 127) / 128, 128>>>(xColumns, out, rows, cols);
// TURNED: {{^\+}}  cudaFree(xColumns);
// WHY-LABEL: layout:
// WHY: + {{.*}} spread: matrix x
// WHY: - {{.*}} spread: matrix out: out is used other than by reading
__global__ void spread(const float *x, float *out, int rows, int cols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows)
    return;
  const float *in = x + (size_t)r * cols;
  float low = in[0], high = in[0];
  for (int c = 0; c < cols; ++c) {
    low = fminf(low, in[c]);
    high = fmaxf(high, x[(size_t)r * cols + c]);
  }
  out[r] = high - low;
}
void launch_spread(const float *x, float *out, int rows, int cols) {
  spread<<<(rows + 127) / 128, 128>>>(x, out, rows, cols);
}

// WHY: - {{.*}} next: matrix x: the column '(c + 1)' is not plainly below cols
__global__ void next(const float *x, float *out, int rows, int cols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows)
    return;
  float sum = 0.0f;
  for (int c = 0; c < cols; ++c)
    sum += x[r * cols + (c + 1)];
  out[r] = sum;
}
void launch_next(const float *x, float *out, int rows, int cols) { next<<<(rows + 127) / 128, 128>>>(x, out, rows, cols); }

// WHY: - {{.*}} running: matrix x: x is read after a store to memory that could be its own: apply qualify first
__global__ void running(const float *x, float *y, float *last, int rows, int cols) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows)
    return;
  for (int c = 0; c < cols; ++c)
    y[r * cols + c] = x[r * cols + c] + 1;
  last[r] = x[r * cols + 0];
}
void launch_running(const float *x, float *y, float *last, int rows, int cols) { running<<<(rows + 127) / 128, 128>>>(x, y, last, rows, cols); }
