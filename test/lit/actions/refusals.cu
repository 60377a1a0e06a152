// What an edit would not mend, or is there already, is not offered.
// RUN: %kcheck actions %s --action privatise-atomics | FileCheck --check-prefix ATOMIC %s
// RUN: %kcheck actions %s --action fix-barrier | FileCheck --check-prefix BARRIER %s
// RUN: %kcheck actions %s --action block-shape | FileCheck --check-prefix SHAPE %s
// RUN: %kcheck rewrite %s --kernel grow --action grid-stride --diff | grep "^+" | FileCheck --check-prefix PLAIN %s
// RUN: %kcheck rewrite %s --kernel grow --action fast-math:division=1 --diff | grep "^+" | FileCheck --check-prefix QUICK %s
#include <cuda_runtime.h>

// ATOMIC: - [[#@LINE+6]] sum: {{.*}}one thread of a block does it already
__global__ void sum(const float *a, float *b, int n) {
  __shared__ float part[256];
  int t = threadIdx.x;
  part[t] = a[t];
  if (t == 0)
    atomicAdd(b, part[0]);
}

// Each thread changes every element again: no barrier helps that.
// BARRIER: - {{[0-9]+}} again: {{.*}}conflicts with itself
// BARRIER-NOT: + {{[0-9]+}} again
__global__ void again(float *a, int n) {
  __shared__ float s[64];
  s[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  float all = 0;
  for (int j = 0; j < 64; ++j) {
    s[j] = s[j] + 1;
    all += s[j];
  }
  a[threadIdx.x] = all;
}

// SHAPE: grow
// SHAPE-NOT: x=256
// SHAPE: x=128
// PLAIN: i < w * h; i +=
// QUICK: __fdividef(a[i] - 1, a[i] + 2)
__global__ void grow(const float *a, float *b, int w, int h) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < w * h)
    b[i] = (a[i] - 1) / (a[i] + 2);
}

void launch(const float *a, float *b, int w, int h) {
  int threads = 256;
  int blocks = (w * h + threads - 1) / threads;
  grow<<<blocks, threads>>>(a, b, w, h);
  sum<<<1, 256>>>(a, b, 256);
  again<<<1, 64>>>(b, 64);
}
