// RUN: %kcheck rewrite %s --action unroll --kernel sum8 --diff | grep "^[-+]" | FileCheck --match-full-lines %s
// RUN: %kcheck rewrite %s --action unroll --kernel sumN --set factor=8 --diff | grep "^[-+]" | FileCheck --match-full-lines --check-prefix FACTOR %s
// RUN: %kcheck rewrite %s --action unroll:factor=8 --action unroll:factor=2 --kernel sumN --diff | grep "^[-+]" | FileCheck --match-full-lines --check-prefix AGAIN %s
// RUN: %kcheck rewrite %s --action unroll --kernel halves --diff | grep "^[-+]" | FileCheck --match-full-lines --check-prefix HALVES %s
// RUN: %kcheck rewrite %s --action unroll:factor=4 --kernel down --diff | grep "^[-+]" | FileCheck --match-full-lines --check-prefix DOWN %s
// RUN: %kcheck actions %s --action unroll | FileCheck --check-prefix LIST %s

// Lines in front of the edit keep their bytes, white space at their ends as well.
// RUN: printf '__global__ void k(float *a, int n) {\n  float s = 0;\n \t \n  for (int i = 0; i < n; ++i)\n    s += a[i];\n  a[0] = s;\n}\n' > %t.cu
// RUN: %kcheck rewrite %t.cu --action unroll:factor=4 --diff | grep "^[-+]" | FileCheck --check-prefix ONLY %s
// ONLY: +++
// ONLY-NEXT: +#pragma unroll 4
// ONLY-NOT: {{^[-+]}}

// CHECK: +#pragma unroll
// CHECK-NOT: {{^[-+].*}}
// LIST: + [[#@LINE+5]] sum8: loop over i
// LIST-NEXT: factor=0 -> tests none: the loop is laid out whole, trips 8
__global__ void sum8(const float *a, float *b) {
  float sum = 0;
  // the comment stays
  for (int i = 0; i < 8; ++i)
    sum += a[i];
  *b = sum;
}

// FACTOR: +#pragma unroll 8
// FACTOR-NOT: {{^[-+].*}}
// AGAIN: +#pragma unroll 2
// AGAIN-NOT: {{^[-+].*}}
__global__ void sumN(const float *a, float *b, int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i)
    sum += a[i];
  *b = sum;
}

// LIST: - [[#@LINE+2]] jumps: loop over i: the body changes the counter i
__global__ void jumps(const float *a, float *b, int n) {
  for (int i = 0; i < n; ++i)
    b[i] = a[i++];
}

// HALVES: +#pragma unroll
// HALVES-NOT: {{^[-+].*}}
// LIST: + [[#@LINE+4]] halves: loop over o
// LIST-NEXT: factor=0 -> tests none: the loop is laid out whole, trips 5
__global__ void halves(float *a) {
  float v = a[threadIdx.x];
  for (int o = 16; o > 0; o >>= 1)
    v += __shfl_xor_sync(0xffffffffu, v, o);
  a[threadIdx.x] = v;
}

// DOWN: +#pragma unroll 4
// DOWN-NOT: {{^[-+].*}}
__global__ void down(const float *a, float *b, unsigned n) {
  float sum = 0;
  for (unsigned i = n; i-- > 0;)
    sum = sum * 0.5f + a[i];
  for (int i = n - 1; i >= 0; --i)
    sum = sum * 0.5f + a[i];
  *b = sum;
}
