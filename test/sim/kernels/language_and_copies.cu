// The device's heap, recursion, virtual functions, lambdas, asynchronous copies, shuffles, flags, carved memory: right and wrong.
#include <cuda_runtime.h>
#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;
// Device malloc shared within the block
// SIM: heap grid=2 block=32 args=o:i32[64]:out
__global__ void heap(int *o) {
  __shared__ int *p;
  if (threadIdx.x == 0) p = (int *)malloc(32 * sizeof(int));
  __syncthreads();
  p[threadIdx.x] = threadIdx.x;
  __syncthreads();
  o[blockIdx.x * 32 + threadIdx.x] = p[31 - threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 0) free(p);
}
// Use after free on the heap
// SIM-NEW
// SIM: heap_uaf grid=1 block=32 args=o:i32[32]:out
__global__ void heap_uaf(int *o) {
  int *p = (int *)malloc(16);
  p[0] = threadIdx.x;
  free(p);
  o[threadIdx.x] = p[0]; //~ use_after_free
}
// Heap overflow
// SIM-NEW
// SIM: heap_over grid=1 block=32 args=o:i32[32]:out
__global__ void heap_over(int *o) {
  int *p = (int *)malloc(4 * sizeof(int));
  for (int i = 0; i <= 4; ++i) p[i] = i; //~ out_of_bounds_global
  o[threadIdx.x] = p[3];
  free(p);
}
// Double free
// SIM-NEW
// SIM: heap_twice grid=1 block=1 args=o:i32[1]:out
__global__ void heap_twice(int *o) {
  int *p = new int[4];
  p[0] = 1; o[0] = p[0];
  delete[] p;
  delete[] p; //~ double_free
}
// Recursion that ends
__device__ int fact(int n) { return n < 2 ? 1 : n * fact(n - 1); }
// SIM-NEW
// SIM: factorial grid=1 block=32 args=o:i32[32]:out
// SIM-OUTPUT: o[5] = 120
__global__ void factorial(int *o) { o[threadIdx.x] = fact(threadIdx.x % 10); }
// Virtual functions
struct Shape { __device__ virtual float area() const = 0; __device__ virtual ~Shape() {} };
struct Sq : Shape { float a; __device__ Sq(float a) : a(a) {} __device__ float area() const override { return a * a; } };
struct Ci : Shape { float r; __device__ Ci(float r) : r(r) {} __device__ float area() const override { return 3 * r * r; } };
// SIM-NEW
// SIM: virtuals grid=1 block=32 args=o:f32[32]:out
// SIM-OUTPUT: o[3] = 27
__global__ void virtuals(float *o) {
  Sq s(threadIdx.x); Ci c(threadIdx.x);
  const Shape *p = threadIdx.x & 1 ? (const Shape *)&c : (const Shape *)&s;
  o[threadIdx.x] = p->area();
}
// Function pointers and lambdas
template <class F> __device__ void each(int n, F f) { for (int i = threadIdx.x; i < n; i += blockDim.x) f(i); }
// SIM-NEW
// SIM: lambdas grid=1 block=32 args=o:i32[100]:out
__global__ void lambdas(int *o) {
  int k = 3;
  each(100, [=] __device__(int i) { o[i] = i * k; });
  each(100, [&](int i) { o[i] += k; });
}
// Lambda off by one
// SIM-NEW
// SIM: lambda_over grid=1 block=32 args=o:i32[100]:out
__global__ void lambda_over(int *o) {
  each(101, [=] __device__(int i) { o[i] = i; }); //~ out_of_bounds_global
}
// Cp.async double buffering right
__device__ void cp4(void *s, const void *g) { asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"((unsigned)__cvta_generic_to_shared(s)), "l"(g)); } //~? race_shared
// SIM-NEW
// SIM: cp_double grid=1 block=64 args=x:f32[256]:in,o:f32[64]:out
__global__ void cp_double(const float *x, float *o) {
  __shared__ float s[2][64];
  int t = threadIdx.x;
  cp4(&s[0][t], x + t); asm volatile("cp.async.commit_group;");
  float v = 0;
  for (int i = 0; i < 4; ++i) {
    if (i + 1 < 4) cp4(&s[(i + 1) & 1][t], x + (i + 1) * 64 + t);
    asm volatile("cp.async.commit_group;");
    asm volatile("cp.async.wait_group 1;" ::: "memory");
    __syncthreads();
    v += s[i & 1][63 - t];
    __syncthreads();
  }
  o[t] = v;
}
// Cp.async waits for one group too few
// SIM-NEW
// SIM: cp_short grid=1 block=64 args=x:f32[256]:in,o:f32[64]:out
__global__ void cp_short(const float *x, float *o) {
  __shared__ float s[2][64];
  int t = threadIdx.x;
  cp4(&s[0][t], x + t); asm volatile("cp.async.commit_group;");
  cp4(&s[1][t], x + 64 + t); asm volatile("cp.async.commit_group;");
  asm volatile("cp.async.wait_group 1;" ::: "memory");
  __syncthreads();
  o[t] = s[0][63 - t] + s[1][63 - t]; //~ uninitialised_read
}
// Second barrier missing in double buffering
// SIM-NEW
// SIM: cp_war grid=1 block=64 args=x:f32[256]:in,o:f32[64]:out
__global__ void cp_war(const float *x, float *o) {
  __shared__ float s[64];
  int t = threadIdx.x;
  float v = 0;
  for (int i = 0; i < 4; ++i) {
    cp4(&s[t], x + i * 64 + t); //~? race_shared
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    v += s[63 - t]; //~? race_shared uninitialised_read
  }
  o[t] = v;
}
// Printf right, and printf of unwritten
// SIM-NEW
// SIM: prints grid=1 block=2 args=o:i32[2]:out
__global__ void prints(int *o) { printf("%d %s %f\n", threadIdx.x, "x", 1.5); o[threadIdx.x] = 1; }
// __syncthreads_count & early exits, right
// SIM-NEW
// SIM: counted grid=1 block=64 args=x:i32[64]:in,o:i32[64]:out
// SIM-OUTPUT: o[0] = 32
__global__ void counted(const int *x, int *o) { o[threadIdx.x] = __syncthreads_count(x[threadIdx.x] & 1); }
// Shfl from inactive lane
// SIM-NEW
// SIM: shfl_branch grid=1 block=32 args=o:i32[32]:out
__global__ void shfl_branch(int *o) {
  int v = threadIdx.x;
  if (threadIdx.x < 16) v = __shfl_down_sync(0xffffffff, v, 1); //~ warp_lane_absent
  o[threadIdx.x] = v;
}
// Shfl in branch with right mask
// SIM-NEW
// SIM: shfl_masked grid=1 block=32 args=o:i32[32]:out
__global__ void shfl_masked(int *o) {
  int v = threadIdx.x;
  if (threadIdx.x < 16) v = __shfl_down_sync(0xffff, v, 1, 16);
  o[threadIdx.x] = v;
}
// Loop with different trip count around shuffle full mask
// SIM-NEW
// SIM: shfl_trip grid=1 block=32 args=o:i32[32]:out
__global__ void shfl_trip(int *o) {
  int v = threadIdx.x;
  for (int i = 0; i < (threadIdx.x & 1) + 1; ++i) v += __shfl_xor_sync(0xffffffff, v, 1); //~ warp_lane_absent
  o[threadIdx.x] = v;
}
// Coalesced group aggregated atomics
// SIM-NEW
// SIM: aggregate grid=4 block=64 args=x:i32[256]:in,c:i32[1]:inout:zero,o:i32[256]:out
__global__ void aggregate(const int *x, int *c, int *o) {
  int i = blockIdx.x * 64 + threadIdx.x;
  o[i] = -1;
  if (x[i] % 3 == 0) {
    auto g = cg::coalesced_threads();
    int b = 0;
    if (g.thread_rank() == 0) b = atomicAdd(c, g.size());
    b = g.shfl(b, 0);
    o[i] = b + g.thread_rank();
  }
}
// Double-checked flag without fence
__device__ volatile int ready = 0;
// SIM-NEW
// SIM: flag_nofence grid=2 block=32 args=d:i32[32]:inout:zero,o:i32[32]:out
__global__ void flag_nofence(int *d, int *o) {
  if (blockIdx.x == 1) { d[threadIdx.x] = 5; __syncthreads(); if (threadIdx.x == 0) ready = 1; } //~? race_blocks
  else { if (threadIdx.x == 0) while (!ready); __syncthreads(); o[threadIdx.x] = d[threadIdx.x]; } //~ race_blocks
}
// With fence
// SIM-NEW
// SIM: flag_fence grid=2 block=32 args=d:i32[32]:inout:zero,o:i32[32]:out
__global__ void flag_fence(int *d, int *o) {
  if (blockIdx.x == 1) { d[threadIdx.x] = 5; __threadfence(); __syncthreads(); if (threadIdx.x == 0) ready = 1; }
  else { if (threadIdx.x == 0) { while (!ready); __threadfence(); } __syncthreads(); o[threadIdx.x] = d[threadIdx.x]; }
}
// Decoupled look-back scan (status word by volatile 64 bit) right
// SIM-NEW
// SIM: lookback grid=8 block=32 args=x:i32[256]:in:one,st:u64[8]:inout:zero,o:i32[8]:out
// SIM-OUTPUT: o[7] = 256
__global__ void lookback(const int *x, unsigned long long *st, int *o) {
  int v = x[blockIdx.x * 32 + threadIdx.x];
  for (int k = 16; k; k >>= 1) v += __shfl_xor_sync(~0u, v, k);
  if (threadIdx.x == 0) {
    int before = 0;
    if (blockIdx.x) {
      unsigned long long w;
      do w = *(volatile unsigned long long *)&st[blockIdx.x - 1]; while (!(w >> 32));
      before = (int)w;
    }
    o[blockIdx.x] = before + v;
    *(volatile unsigned long long *)&st[blockIdx.x] = (1ull << 32) | (unsigned)(before + v);
  }
}
// Endless loop by unsigned countdown
// SIM-NEW
// SIM: countdown grid=1 block=32 args=o:i32[32]:out
__global__ void countdown(int *o) {
  int s = 0;
  for (unsigned i = threadIdx.x; i >= 0; --i) s += i; //~ timeout
  o[threadIdx.x] = s; //~? uninitialised_read
}
// Shared struct padding copied, right
struct Pad { char c; double d; };
// SIM-NEW
// SIM: padded grid=1 block=32 args=o:f64[32]:out
__global__ void padded(double *o) {
  __shared__ Pad s[32];
  Pad p; p.c = 1; p.d = threadIdx.x;
  s[threadIdx.x] = p;
  __syncthreads();
  Pad q = s[31 - threadIdx.x];
  o[threadIdx.x] = q.d + q.c;
}
// Constant memory past the end
__constant__ float coef[4] = {1, 2, 3, 4};
// SIM-NEW
// SIM: constant_neg grid=1 block=8 args=o:f32[8]:out
__global__ void constant_neg(float *o) { o[threadIdx.x] = coef[(int)threadIdx.x - 1] + coef[threadIdx.x & 3]; } //~ out_of_bounds_constant
// Dynamic shared, two arrays, second one too far
// SIM-NEW
// SIM: carve grid=1 block=32 shared=256 args=o:f32[32]:out
__global__ void carve(float *o) {
  extern __shared__ float dyn[];
  float *a = dyn; double *b = (double *)(a + 32);
  a[threadIdx.x] = 1; b[threadIdx.x] = 2; //~ out_of_bounds_shared
  __syncthreads();
  o[threadIdx.x] = a[threadIdx.x];
}
// Misaligned carve
// SIM-NEW
// SIM: carve_mis grid=1 block=32 shared=512 args=o:f32[32]:out
__global__ void carve_mis(float *o) {
  extern __shared__ float dyn[];
  float *a = dyn; double *b = (double *)(a + 33);
  a[threadIdx.x] = 1; b[threadIdx.x] = 2; //~ misaligned_access
  __syncthreads();
  o[threadIdx.x] = a[threadIdx.x];
}
// Block barrier in a conditional on shared, uniform: right
// SIM-NEW
// SIM: uniform_shared grid=1 block=64 args=o:i32[64]:out
__global__ void uniform_shared(int *o) {
  __shared__ int again;
  int n = 0;
  do {
    __syncthreads();
    if (threadIdx.x == 0) again = n < 3;
    __syncthreads();
    ++n;
  } while (again);
  o[threadIdx.x] = n;
}
// The same, first barrier missing: race
// SIM-NEW
// SIM: uniform_racy grid=1 block=64 args=o:i32[64]:out
__global__ void uniform_racy(int *o) {
  __shared__ int again;
  int n = 0;
  do {
    if (threadIdx.x == 0) again = n < 3; //~ race_shared
    __syncthreads(); //~? barrier_divergence
    ++n;
  } while (again && n < 9); //~? race_shared
  o[threadIdx.x] = n;
}
