// RUN: %kcheck rewrite %s --kernel total --action hoist-invariant --diff | grep "^[-+]" | FileCheck %s
// RUN: %kcheck rewrite %s --kernel normalise --action hoist-invariant --diff | grep "^[-+]" | FileCheck --check-prefix CALL %s
// RUN: %kcheck actions %s --action hoist-invariant | FileCheck --check-prefix WHY %s

// CHECK: {{^\+}}  const float once = 0 < n ? scale[0] : float(0);
// CHECK: {{^\+}}    sum += x[c] * once;
// WHY: + [[#@LINE+3]] total: 'scale[0]' in a loop
__global__ void total(const float *x, const float *scale, float *out, int n) {
  float sum = 0.0f;
  for (int c = 0; c < n; ++c)
    sum += x[c] * scale[0];
  out[threadIdx.x] = sum;
}

// CALL: {{^\+}}  const float once = sqrtf(deviation);
// CALL: {{^\+}}    y[c] = x[c] / once * scale[0];
__global__ void normalise(const float *x, const float *scale, float *y, float deviation, int n) {
  for (int c = threadIdx.x; c < n; c += blockDim.x)
    y[c] = x[c] / sqrtf(deviation) * scale[0];
}

// WHY: - [[#@LINE+3]] grows: loop: nothing in the loop stays the same
__global__ void grows(const float *x, float *y, int n) {
  float v = 1.0f;
  for (int c = 0; c < n; ++c)
    v = sqrtf(v + x[c]);
  y[threadIdx.x] = v;
}
