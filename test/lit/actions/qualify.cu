// RUN: %kcheck rewrite %s --action qualify --kernel scale --diff | grep "^[-+]" | FileCheck %s
// RUN: %kcheck rewrite %s --action qualify --set ldg=1 --kernel scale --diff | grep "^[-+]" | FileCheck --check-prefix LDG %s
// RUN: bash -c '%kcheck rewrite %s --action qualify --kernel twice --set restrict=1 2>&1; test $? -eq 1' | FileCheck --check-prefix TWICE %s
// RUN: bash -c '%kcheck rewrite %s --action qualify --kernel alone 2>&1; test $? -eq 1' | FileCheck --check-prefix ALONE %s
// RUN: bash -c '%kcheck rewrite %s --action qualify --set bound=1 2>&1; test $? -eq 2' | FileCheck --check-prefix NAME %s
// RUN: %kcheck rewrite %s --action qualify:restrict=1,bounds=1 --action qualify:ldg=1 --kernel scale --diff | grep "^[-+]" | FileCheck --check-prefix BOTH %s

// CHECK: +__global__ void __launch_bounds__(256) scale(const float *__restrict__ a, float *__restrict__ b, int n) {
// LDG: {{^\+}}    b[i] = 2 * __ldg(&a[i]);
// BOTH: __launch_bounds__(256) scale(const float *__restrict__ a
// BOTH: {{^\+}}    b[i] = 2 * __ldg(&a[i]);
__global__ void scale(const float *a, float *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    b[i] = 2 * a[i];
}
void launch_scale(const float *a, float *b, int n) { scale<<<(n + 255) / 256, 256>>>(a, b, n); }

// TWICE: qualify at line [[#@LINE+1]]: restrict=1 is not legal here
__global__ void twice(const float *a, float *b) { b[threadIdx.x] = a[threadIdx.x + 1]; }
void launch_twice(float *a) { twice<<<1, 32>>>(a, a); }

// ALONE: qualify does not apply to alone (line [[#@LINE+1]]): the file has no launch of alone: its buffers may overlap
__global__ void alone(const float *a, float *b) { b[0] = *a; }
// NAME: qualify has no parameter 'bound'; did you mean 'bounds'?

// A block that the launcher makes larger for large sizes only: the bound is of the largest.
// RUN: %kcheck actions %s --action qualify | FileCheck --check-prefix LARGE %s
// RUN: %kcheck rewrite %s --kernel growing --action qualify:bounds=1 --diff | FileCheck --check-prefix BOUND %s
// LARGE: growing: kernel growing
// LARGE-NEXT: launch_bounds 1024
// BOUND: __launch_bounds__(1024) growing(
__global__ void growing(const float *a, float *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    b[i] = a[i];
}
void launch_growing(const float *a, float *b, int n) {
  int threads = 128;
  if (n > 100000)
    threads = 1024;
  growing<<<(n + threads - 1) / threads, threads>>>(a, b, n);
}

// Larger blocks raise what the launch bounds say.
// RUN: %kcheck rewrite %s --kernel bounded --action block-shape:x=512 --diff | grep "^[-+]" | FileCheck --check-prefix BOUNDED %s
// BOUNDED: {{^\+}}__global__ void __launch_bounds__(512, 2) bounded(
// BOUNDED: {{^\+}}{{.*}}<<<(n + 511) / 512, 512>>>
__global__ void __launch_bounds__(256, 2) bounded(const float *a, float *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    b[i] = a[i];
}
void launch_bounded(const float *a, float *b, int n) { bounded<<<(n + 255) / 256, 256>>>(a, b, n); }

// What stands there is said more of, once.
// RUN: %kcheck rewrite %s --kernel once --action qualify:restrict=0,bounds=1,blocks=4 --diff | grep "^[-+]" | FileCheck --check-prefix ONCE %s
// RUN: bash -c '%kcheck rewrite %s --kernel bounded --action qualify:restrict=0,bounds=1,blocks=4 2>&1; test $? -eq 1' | FileCheck --check-prefix TWO %s
// ONCE: {{^\+}}__global__ void __launch_bounds__(256, 4) once(
// TWO: blocks=4 bounds=1 restrict=0 is not legal here
__global__ void __launch_bounds__(256) once(const float *a, float *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    b[i] = a[i];
}
void launch_once(const float *a, float *b, int n) { once<<<(n + 255) / 256, 256>>>(a, b, n); }
