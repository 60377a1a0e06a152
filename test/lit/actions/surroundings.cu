// What an edit moves keeps the user's spaces and comments, and what is new looks like what stands around it.
// RUN: %kcheck rewrite %s --kernel sum --action coarsen:items=2 --diff | grep "^+" | FileCheck --strict-whitespace --check-prefix SUM %s
// RUN: %kcheck rewrite %s --kernel sum --action grid-stride:blocks=64 --diff | grep "^+" | FileCheck --check-prefix HELD %s
// RUN: %kcheck rewrite %s --kernel real --action grid-stride --diff | grep "^+" | FileCheck --check-prefix REAL %s
// RUN: rm -rf %t && mkdir %t && echo "DisableFormat: true" > %t/.clang-format && cp %s %t/own.cu
// RUN: %kcheck rewrite %t/own.cu --kernel tabs --action grid-stride --diff | grep "^+" | FileCheck --strict-whitespace --check-prefix TABS %s
// RUN: %kcheck rewrite %s --kernel minus --action coarsen:items=2 --diff | grep "^+" | FileCheck --check-prefix MINUS %s
// RUN: %kcheck actions %s --action fast-math | FileCheck --check-prefix ROUND %s
// RUN: %kcheck rewrite %s --kernel scaled --action fast-math:division=1 --diff | grep "^+" | FileCheck --check-prefix SCALED %s
#include <cuda_runtime.h>

// SUM:{{^\+}}  int iy=threadIdx.y+blockDim.y*blockIdx.y; // the row
// SUM-NEXT:{{^\+}}  // only what is there
// SUM-NEXT:{{^\+}}  if (iy >= ny)
// SUM: const int ix = first + item * blockDim.x;
// SUM:{{^\+}}      // where it lies
// SUM-NEXT:{{^\+}}      int idx=ix+iy*nx;
// SUM:{{^\+}}  dim3 grid(((nx-1)/block.x+1 + 1) / 2, (ny-1)/block.y+1);
// HELD: dim3 grid((nx-1)/block.x+1 < 64 ? (nx-1)/block.x+1 : 64, (ny-1)/block.y+1);
__global__ void sum(const float *a, const float *b, float *c, int nx, int ny) {
    int ix=threadIdx.x+blockDim.x*blockIdx.x;
    int iy=threadIdx.y+blockDim.y*blockIdx.y; // the row
    // where it lies
    int idx=ix+iy*nx;
    // only what is there
    if (ix<nx && iy<ny)
      c[idx]=a[idx]+b[idx];
}
void launch_sum(const float *a, const float *b, float *c, int nx, int ny) {
  dim3 block(32, 8);
  dim3 grid((nx-1)/block.x+1, (ny-1)/block.y+1);
  sum<<<grid, block>>>(a, b, c, nx, ny);
}

// A NaN is neither below the limit nor not.
// REAL: if (!(limit > 0.0f))
// REAL-NEXT: return;
__global__ void real(float *a, int n, float limit) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && limit > 0.0f)
    a[i] = limit;
}
void launch_real(float *a, int n, float limit) { real<<<(n + 255) / 256, 256>>>(a, n, limit); }

// TABS:{{^\+}}	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
// TABS-NEXT:{{^\+}}		a[i]=1;
__global__ void tabs(float *a, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
	    a[i]=1;
	}
}
void launch_tabs(float *a, int n) { tabs<<<(n + 255) / 256, 256>>>(a, n); }

// The part of a product is a whole operand.
// MINUS: minus<<<((n - 1) / 256 + 1 + 1) / 2, 256>>>
__global__ void minus(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] = - -a[i];
}
void launch_minus(float *a, int n) { minus<<<(n - 1) / 256 + 1, 256>>>(a, n); }

// ROUND: - [[#@LINE+3]] whole: 0 functions, 0 divisions: a whole number is made of the result
// ROUND: - [[#@LINE+7]] place: 0 functions, 0 divisions: a whole number is made of the result
// ROUND: + [[#@LINE+13]] scaled: 0 functions, 1 divisions
__global__ void whole(const float *a, float *b, float scale, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    b[i] = rintf(a[i] / scale);
}
__global__ void place(const float *a, float *b, float width, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float at = a[i] / width;
  b[(int)at] = 1;
}
// SCALED: const float part = __fdividef(a[i], scale);
// SCALED-NOT: {{^\+ }}
__global__ void scaled(const float *a, float *b, float scale, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float part = a[i] / scale;
  const float step = a[i] / 2.0f;
  b[i] = part + floorf(step);
}
