// RUN: %kcheck rewrite %s --action double-literal --diff | grep "^[-+]" | FileCheck %s
// RUN: bash -c '%kcheck rewrite %s --action double-literal --kernel meant 2>&1; test $? -eq 1' | FileCheck --check-prefix MEANT %s

// CHECK: {{^\+}}  b[i] = 0.5f * a[i] * (1.f + tanhf(a[i]));
// CHECK: {{^\+}}  b[i] *= 2.0f;
// CHECK: {{^\+}}  b[i] *= float(SHARE);
// CHECK: {{^\+}}  if (a[i] > 0.5f && a[i] < 0.1)
#define SHARE 1e-3 // other code may need it in double
__global__ void gelu(const float *a, float *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  b[i] = 0.5 * a[i] * (1. + tanhf(a[i]));
  b[i] *= 2.0;
  b[i] *= SHARE;
  if (a[i] > 0.5 && a[i] < 0.1)
    b[i] = 1.0;
}

// MEANT: no double literal stands in float arithmetic
__global__ void meant(const float *a, double *b) {
  double sum = 1.0;
  sum += a[0] * 0.5;
  b[0] = sum;
}
