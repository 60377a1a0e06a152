// RUN: %kcheck rewrite %s --action fix-barrier --diff | grep "^[-+]" | FileCheck --check-prefix BARRIER %s
// RUN: %kcheck rewrite %s --action fix-barrier -o %t.cu
// RUN: %kcheck lint --rules kcheck-sync %t.cu | FileCheck --check-prefix SYNC %s
// RUN: %kcheck rewrite %s --kernel copy --action fix-guard --diff | grep "^[-+]" | FileCheck --check-prefix GUARD %s
// RUN: %kcheck rewrite %s --kernel add --action fix-guard --diff | grep "^[-+]" | FileCheck --check-prefix NEW %s
// RUN: %kcheck rewrite %s --kernel twice --action fix-guard --diff | grep "^[-+]" | FileCheck --check-prefix GIVEN %s
// RUN: %kcheck rewrite %s --kernel scale --action fix-tail --diff | grep "^[-+]" | FileCheck --check-prefix TAIL %s
// RUN: %kcheck rewrite %s --action fix-sizeof --diff | grep "^[-+]" | FileCheck --check-prefix SIZEOF %s
// RUN: %kcheck rewrite %S/../../../examples/linear_relu/broken_barrier.cu --action fix-barrier --diff | grep "^[-+]" | FileCheck --check-prefix LOOP %s
// RUN: %kcheck rewrite %s --action fix-sizeof:line=83 --diff | grep "^[-+]" | FileCheck --check-prefix COPIED %s
// RUN: %kcheck actions %s | FileCheck --check-prefix WHY %s

// The brace behind it stays where it was.
// LOOP: {{^\+}}    __syncthreads();
// LOOP-NOT: {{^[-+]}}

// BARRIER: {{^\+}}  __syncthreads();
// BARRIER-NOT: {{^[-+]}}
// SYNC: result: PASS
__global__ void reverse(float *d) {
  __shared__ float s[64];
  s[threadIdx.x] = d[threadIdx.x];
  d[threadIdx.x] = s[63 - threadIdx.x];
}
void launch_reverse(float *d) { reverse<<<1, 64>>>(d); }

// GUARD: {{^\+}}  if (i >= count)
// GUARD-NEXT: {{^\+}}    return;
__global__ void copy(const float *a, float *b, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  b[i] = a[i];
}
void launch_copy(const float *a, float *b, int n) { copy<<<(n + 255) / 256, 256>>>(a, b, n); }

// TAIL: {{^\+}}  scale<<<(n + 255) / 256, 256>>>(a, b, n);
// WHY-LABEL: fix-guard:
// WHY: - [[#@LINE+2]] scale: index of the grid: i is checked already
__global__ void scale(const float *a, float *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    b[i] = 2 * a[i];
}
void launch_scale(const float *a, float *b, int n) {
  scale<<<n / 256, 256>>>(a, b, n);
}

// SIZEOF: {{^\+}}  cudaMalloc(&d, n * sizeof(float));
// SIZEOF-NOT: {{^[-+]}}
// WHY-LABEL: fix-sizeof:
// WHY: + [[#@LINE+4]] allocation of d
// WHY: - [[#@LINE+4]] allocation of e: its size counts bytes already
float *make(int n) {
  float *d, *e;
  cudaMalloc(&d, n);
  cudaMalloc(&e, n * sizeof(float));
  return n > 7 ? d : e;
}
// WHY: - [[#@LINE+5]] allocation of d: its size may count bytes
// WHY: - [[#@LINE+5]] allocation of e: as many bytes are copied or set
// WHY: - [[#@LINE+5]] allocation of f: its size may count bytes
void fill(const float *from, int bytes, int n, int words) {
  float *d, *e, *f;
  cudaMalloc(&d, bytes);
  cudaMalloc(&e, n);
  cudaMalloc(&f, words << 2);
  cudaMemcpy(e, from, n, cudaMemcpyHostToDevice);
}
// One variable for the bytes of one buffer after the other.
// WHY: - [[#@LINE+4]] allocation of g: its size may count bytes
void reuse(int n, int m) {
  int all = n * sizeof(float);
  float *g, *h;
  cudaMalloc(&g, all);
  all = m * sizeof(float);
  cudaMalloc(&h, all);
}

// A copy of as many elements leaves no doubt.
// COPIED: {{^\+}}  cudaMalloc(&k, BUFFER_SIZE * sizeof(float));
#define BUFFER_SIZE 4096
void copied(const float *from) {
  float *k;
  cudaMalloc(&k, BUFFER_SIZE);
  cudaMemcpy(k, from, BUFFER_SIZE * sizeof(float), cudaMemcpyHostToDevice);
}

// The kernel gets a parameter, everywhere it is declared, and the launch says what was allocated.
// NEW: {{^\+}}__global__ void add(const float *a, float *b, int count);
// NEW: {{^\+}}__global__ void add(const float *a, float *b, int count) {
// NEW: {{^\+}}  if (i >= count)
// NEW: {{^\+}}  add<<<COUNT / 256, 256>>>(b, a, COUNT);
#define COUNT 1024
__global__ void add(const float *a, float *b);
__global__ void add(const float *a, float *b) {
  int i   = blockIdx.x * blockDim.x + threadIdx.x; // stays as it is
  b[i] = a[i] + 1;
}
// GIVEN: {{^\+}}  if (i >= items)
// GIVEN-NOT: {{^\+}}__global__
__global__ void twice(float *b, int rounds, int items) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  b[i] = 2 * b[i] + rounds;
}
int whole(float *from) {
  float *a, *b;
  const int n = 1024;
  cudaMalloc(&a, COUNT * sizeof(float));
  cudaMalloc(&b, sizeof(float) * n);
  cudaMemcpy(a, from, COUNT * sizeof(float), cudaMemcpyHostToDevice);
  add<<<COUNT / 256, 256>>>(b, a);
  twice<<<4, 256>>>(b, 7, n);
  return 0;
}
// Constants tell whether something is left over.
void launch_left(const float *a, float *b) {
  const int all = 1000, some = 1024;
  const int blocks = all / 256;
  scale<<<blocks, 256>>>(a, b, all);
  scale<<<some / 256, 256>>>(a, b, some);
}
// WHY-LABEL: fix-tail:
// WHY: + {{[0-9]+}} scale: grid 'n / 256'
// WHY: + {{[0-9]+}} scale: grid 'all / 256'
// WHY-NOT: some / 256
