// RUN: %kcheck rewrite %s --kernel turn --action pad-shared --diff | grep "^[-+]" | FileCheck --check-prefix PAD %s
// RUN: %kcheck rewrite %s --kernel turn --action swizzle-shared --diff | grep "^[-+]" | FileCheck --check-prefix SWIZZLE %s
// RUN: bash -c '%kcheck rewrite %s --kernel turn --action swizzle-shared --action swizzle-shared 2>&1; test $? -eq 1' | FileCheck --check-prefix TWICE %s
// RUN: %kcheck actions %s --action pad-shared | FileCheck --check-prefix WHY %s

// PAD: {{^\+}}  __shared__ float tile[32][32 + 1];
// PAD-NOT: {{^[-+]}}
// SWIZZLE: {{^\+}}  tile[threadIdx.y][threadIdx.x ^ (threadIdx.y & 31)] = x[threadIdx.y * 32 + threadIdx.x];
// SWIZZLE: {{^\+}}  y[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y ^ (threadIdx.x & 31)];
// TWICE: it is swizzled already
// WHY: + [[#@LINE+2]] turn: shared array tile
__global__ void turn(const float *x, float *y) {
  __shared__ float tile[32][32];
  tile[threadIdx.y][threadIdx.x] = x[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  y[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
void launch_turn(const float *x, float *y) { turn<<<1, dim3(32, 32)>>>(x, y); }

// WHY: - [[#@LINE+3]] handed: shared array tile: it is used other than by full subscripts at line [[#@LINE+6]]
__device__ float sum(const float *row) { return row[0] + row[1]; }
__global__ void handed(const float *x, float *y) {
  __shared__ float tile[4][32];
  tile[threadIdx.y][threadIdx.x] = x[threadIdx.y * 32 + threadIdx.x];
  __syncthreads();
  y[threadIdx.y] = sum(tile[threadIdx.y]);
}

// An extent that a macro names, rows of 16 and three extents.
// RUN: %kcheck rewrite %s --kernel named --action pad-shared --diff | grep "^[-+]" | FileCheck --check-prefix NAMED %s
// RUN: %kcheck rewrite %s --kernel named --action swizzle-shared --diff | grep "^[-+]" | FileCheck --check-prefix NARROW %s
// NAMED: {{^\+}}  __shared__ float pair[2][SIDE][SIDE + 1];
// NARROW: {{^\+}}  pair[1][threadIdx.y][threadIdx.x ^ (threadIdx.y & 15)] = x[threadIdx.y * SIDE + threadIdx.x];
// NARROW: {{^\+}}  y[threadIdx.y * SIDE + threadIdx.x] = pair[1][threadIdx.x][threadIdx.y ^ (threadIdx.x & 15)];
#define SIDE 16
__global__ void named(const float *x, float *y) {
  __shared__ float pair[2][SIDE][SIDE];
  pair[1][threadIdx.y][threadIdx.x] = x[threadIdx.y * SIDE + threadIdx.x];
  __syncthreads();
  y[threadIdx.y * SIDE + threadIdx.x] = pair[1][threadIdx.x][threadIdx.y];
}
void launch_named(const float *x, float *y) { named<<<1, dim3(SIDE, SIDE)>>>(x, y); }

// A macro that is no single operand stays closed.
// WHY: - {{.*}} sums: shared array part: its extent comes from a macro
#define TWO_MORE 16 + 2
__global__ void sums(const float *x, float *y) {
  __shared__ float part[4][TWO_MORE];
  part[threadIdx.y][threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = part[threadIdx.y][threadIdx.x];
}
