// RUN: %kcheck rewrite %s --action fix-barrier --diff | grep "^[-+]" | FileCheck --check-prefix BARRIER %s
// RUN: %kcheck rewrite %s --action fix-barrier -o %t.cu
// RUN: %kcheck lint --rules kcheck-sync %t.cu | FileCheck --check-prefix SYNC %s
// RUN: %kcheck rewrite %s --kernel copy --action fix-guard --diff | grep "^[-+]" | FileCheck --check-prefix GUARD %s
// RUN: %kcheck rewrite %s --kernel scale --action fix-tail --diff | grep "^[-+]" | FileCheck --check-prefix TAIL %s
// RUN: %kcheck rewrite %s --action fix-sizeof --diff | grep "^[-+]" | FileCheck --check-prefix SIZEOF %s
// RUN: %kcheck rewrite %S/../../../examples/linear_relu/broken_barrier.cu --action fix-barrier --diff | grep "^[-+]" | FileCheck --check-prefix LOOP %s
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
// WHY-LABEL: fix-tail:
// WHY: + {{[0-9]+}} scale: grid 'n / 256'
