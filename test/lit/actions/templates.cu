// Templates are edited where one instantiation says what they are.
// RUN: %kcheck actions %s --action tile-shared | FileCheck --check-prefix WHY %s
// RUN: %kcheck rewrite %s --kernel once --action tile-shared:bm=32,bn=32,bk=16 -o %t.cu
// RUN: FileCheck --input-file %t.cu --check-prefix ONCE %s
// RUN: %kcheck rewrite %t.cu --kernel once --action register-tile:tm=2,tn=2,bm=32,bn=32,bk=16 --action vectorize-loads -o %t.2.cu
// RUN: %kcheck rewrite %s --kernel scale --action vectorize-loads -o %t.3.cu
// RUN: FileCheck --input-file %t.3.cu --check-prefix SCALE %s

// WHY: + [[#@LINE+5]] once: sum over a loop
// ONCE: template <typename T, int Side>
// ONCE: constexpr int BM = 32, BN = 32, BK = 16;
// ONCE: once<float, 16><<<grid, block>>>(a, b, c, n);
template <typename T, int Side>
__global__ void once(const T *a, const T *b, T *c, int n) {
  int col = blockIdx.x * Side + threadIdx.x, row = blockIdx.y * Side + threadIdx.y;
  if (row >= n || col >= n)
    return;
  T sum = 0;
  for (int i = 0; i < n; ++i)
    sum += a[row * n + i] * b[i * n + col];
  c[row * n + col] = sum;
}
void launch_once(const float *a, const float *b, float *c, int n) {
  dim3 block(16, 16);
  dim3 grid((n + 15) / 16, (n + 15) / 16);
  once<float, 16><<<grid, block>>>(a, b, c, n);
}

// SCALE: reinterpret_cast<const float4 *>
template <typename T>
__global__ void scale(const T *a, T *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    b[i] = a[i] * T(2);
}
void launch_scale(const float *a, float *b, int n) { scale<<<(n + 255) / 256, 256>>>(a, b, n); }

// WHY: - [[#@LINE+2]] twice: sum over a loop: the kernel is a template with 2 instantiations
template <typename T>
__global__ void twice(const T *a, const T *b, T *c, int n) {
  int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= n || col >= n)
    return;
  T sum = 0;
  for (int i = 0; i < n; ++i)
    sum += a[row * n + i] * b[i * n + col];
  c[row * n + col] = sum;
}
void launch_twice(const float *a, const float *b, float *c, const double *d, const double *e, double *f, int n) {
  twice<<<dim3((n + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(a, b, c, n);
  twice<<<dim3((n + 15) / 16, (n + 15) / 16), dim3(16, 16)>>>(d, e, f, n);
}
