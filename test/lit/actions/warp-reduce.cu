// RUN: %kcheck rewrite %s --action warp-reduce --kernel total --diff | grep "^[-+]" | FileCheck %s
// RUN: %kcheck rewrite %s --action warp-reduce --kernel total -o %t.cu
// RUN: %kcheck lint --rules kcheck-sync,kcheck-shared-bounds %t.cu | FileCheck --check-prefix CLEAN %s
// RUN: %kcheck actions %s --action warp-reduce | FileCheck --check-prefix WHY %s

// CHECK: {{^\+}}  for (int s = blockDim.x / 2; s >= 32; s >>= 1) {
// CHECK: {{^\+}}  if (t < 32) {
// CHECK: {{^\+}}    float lane = sums[t];
// CHECK: {{^\+}}      lane = lane + __shfl_down_sync(0xffffffff, lane, offset);
// CHECK: {{^\+}}      sums[0] = lane;
// CHECK: {{^\+}}  __syncthreads();
// CLEAN: result: PASS
__global__ void total(const float *x, float *out, int n) {
  __shared__ float sums[256];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  sums[t] = i < n ? x[i] : 0.0f;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (t < s)
      sums[t] += sums[t + s];
    __syncthreads();
  }
  if (t == 0)
    out[blockIdx.x] = sums[0];
}
void launch_total(const float *x, float *out, int n) { total<<<(n + 255) / 256, 256>>>(x, out, n); }

// WHY: - [[#@LINE+6]] odd: tree over sums: the block is no power of two that the tree halves
__global__ void odd(const float *x, float *out) {
  __shared__ float sums[96];
  int t = threadIdx.x;
  sums[t] = x[t];
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (t < s)
      sums[t] += sums[t + s];
    __syncthreads();
  }
  if (t == 0)
    out[0] = sums[0];
}
void launch_odd(const float *x, float *out) { odd<<<1, 96>>>(x, out); }

// Two arrays in one tree, and the barrier in front of the step.
// RUN: %kcheck rewrite %s --action warp-reduce --kernel both --diff | grep "^[-+]" | FileCheck --check-prefix BOTH %s
// RUN: %kcheck rewrite %s --action warp-reduce --kernel both -o %t2.cu
// RUN: %kcheck lint --rules kcheck-sync,kcheck-shared-bounds %t2.cu | FileCheck --check-prefix CLEAN %s
// BOTH: {{^\+}}  for (unsigned s = blockDim.x >> 1; s >= 32; s = s >> 1) {
// BOTH: {{^\+}}  __syncthreads();
// BOTH-NEXT: {{^\+}}  if (threadIdx.x < 32) {
// BOTH-NEXT: {{^\+}}    float sumsLane = sums[threadIdx.x];
// BOTH-NEXT: {{^\+}}    float topsLane = tops[threadIdx.x];
// BOTH-NEXT: {{^\+}}    for (int offset = 16; offset > 0; offset /= 2) {
// BOTH-NEXT: {{^\+}}      sumsLane = sumsLane + __shfl_down_sync(0xffffffff, sumsLane, offset);
// BOTH-NEXT: {{^\+}}      topsLane = fmaxf(topsLane, __shfl_down_sync(0xffffffff, topsLane, offset));
// BOTH-NOT: {{^\+}}  __syncthreads();
__global__ void both(const float *x, float *out) {
  __shared__ float sums[128], tops[128];
  sums[threadIdx.x] = tops[threadIdx.x] = x[blockIdx.x * blockDim.x + threadIdx.x];
  for (unsigned s = blockDim.x >> 1; s != 0; s = s >> 1) {
    __syncthreads();
    if (threadIdx.x < s) {
      sums[threadIdx.x] += sums[threadIdx.x + s];
      tops[threadIdx.x] = fmaxf(tops[threadIdx.x + s], tops[threadIdx.x]);
    }
  }
  if (threadIdx.x == 0)
    out[blockIdx.x] = sums[0] + tops[0];
}
void launch_both(const float *x, float *out, int n) { both<<<n / 128, 128>>>(x, out); }
