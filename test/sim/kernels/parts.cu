// Parts of vectors and words, and what neighbours do with the rest.
#include <cuda_runtime.h>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
// float3 rows across 16 bytes, right
// SIM: rows3 grid=2 block=64 args=x:f32[384]:in,o:f32[384]:out
__global__ void rows3(const float3 *x, float3 *o) {
  int i = blockIdx.x * 64 + threadIdx.x;
  float3 v = x[127 - i];
  o[i] = make_float3(v.z, v.y, v.x);
}
// double2 in shared, half read
// SIM-NEW
// SIM: halves_used grid=1 block=64 args=o:f64[64]:out
__global__ void halves_used(double *o) {
  __shared__ double2 s[64];
  s[threadIdx.x].x = threadIdx.x;
  __syncthreads();
  double2 v = s[63 - threadIdx.x];
  o[threadIdx.x] = v.x;
}
// unused component is written by others at the same time: right
// SIM-NEW
// SIM: parts grid=1 block=64 args=o:f32[32]:out
__global__ void parts(float *o) {
  __shared__ float4 s[32];
  int i = threadIdx.x & 31;
  if (threadIdx.x < 32) { s[i].x = 1; s[i].w = 2; }
  __syncthreads();
  if (threadIdx.x < 32) { float4 v = s[i]; o[i] = v.x + v.w; }
  else s[i].y = 3;
}
// out of bounds in the second part only
// SIM-NEW
// SIM: second_part grid=1 block=8 args=x:f32[30]:in,o:f32[8]:out
__global__ void second_part(const float4 *x, float *o) {
  float4 v = x[threadIdx.x];
  o[threadIdx.x] = v.x + v.w; //~? out_of_bounds_global
}
// SIM-EXPECT: out_of_bounds_global
// struct of 12 bytes in shared with race on one word
// SIM-NEW
// SIM: word_race grid=1 block=64 args=o:i32[64]:out
struct Three { int a, b, c; };
__global__ void word_race(int *o) {
  __shared__ Three s[64];
  s[threadIdx.x] = {1, 2, 3};
  __syncthreads();
  s[(threadIdx.x + 1) & 63].b = threadIdx.x; //~ race_shared
  o[threadIdx.x] = s[threadIdx.x].a + s[threadIdx.x].b; //~? race_shared
}
// cluster of atomics: warp leader by elect, then shared through shfl
// SIM-NEW
// SIM: leader grid=1 block=64 args=c:i32[1]:inout:zero,o:i32[64]:out
__global__ void leader(int *c, int *o) {
  unsigned m = __activemask();
  int lead = __ffs(m) - 1, base = 0;
  if ((threadIdx.x & 31) == lead) base = atomicAdd(c, __popc(m));
  o[threadIdx.x] = __shfl_sync(m, base, lead);
}
// grid sync in place of two launches
// SIM-NEW
// SIM: two_phases grid=4 block=64 coop=1 args=x:f32[256]:inout,o:f32[256]:out
__global__ void two_phases(float *x, float *o) {
  int i = blockIdx.x * 64 + threadIdx.x;
  x[i] *= 2;
  cg::this_grid().sync();
  o[i] = x[255 - i];
}
// atomicCAS loop for float max, plain read first
// SIM-NEW
// SIM: float_max grid=4 block=64 args=x:f32[256]:in,m:i32[1]:inout:zero
__global__ void float_max(const float *x, int *m) {
  int old = *m, want = __float_as_int(x[blockIdx.x * 64 + threadIdx.x]);
  while (__int_as_float(old) < __int_as_float(want)) {
    int seen = atomicCAS(m, old, want);
    if (seen == old) break;
    old = seen;
  }
}
// unsynchronised in-place neighbour sum through global memory
// SIM-NEW
// SIM: in_place grid=1 block=64 args=x:f32[64]:inout
__global__ void in_place(float *x) {
  float l = threadIdx.x ? x[threadIdx.x - 1] : 0; //~ race_global
  x[threadIdx.x] += l;                            //~? race_global
}
// SIM-NEW
// SIM: in_place_right grid=1 block=64 args=x:f32[64]:inout
__global__ void in_place_right(float *x) {
  float l = threadIdx.x ? x[threadIdx.x - 1] : 0;
  __syncthreads();
  x[threadIdx.x] += l;
}
// int8 vectors through char4, right
// SIM-NEW
// SIM: chars grid=1 block=16 args=x:i8[64]:in,o:i8[64]:out
__global__ void chars(const char4 *x, char4 *o) {
  char4 v = x[threadIdx.x];
  v.y = -v.y;
  o[threadIdx.x] = v;
}
// 16-bit halves of a word by two threads, right
// SIM-NEW
// SIM: shorts grid=1 block=64 args=o:i16[64]:out
__global__ void shorts(short *o) { o[threadIdx.x ^ 1] = threadIdx.x; }
