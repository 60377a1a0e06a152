// Orders of atomics, locks, warps without barriers, tiles, numbered barriers, vector types, bit fields, unions, local arrays: right and wrong.
#include <cuda_runtime.h>
#include <cooperative_groups.h>
#include <cuda/atomic>
namespace cg = cooperative_groups;

// Acquire/release by cuda::atomic_ref, right
// SIM: ar_right grid=2 block=32 args=d:i32[1]:inout:zero,f:i32[1]:inout:zero,o:i32[1]:out
// SIM-OUTPUT: o[0] = 7
__global__ void ar_right(int *d, int *f, int *o) {
  if (threadIdx.x) return;
  cuda::atomic_ref<int, cuda::thread_scope_device> r(*f);
  if (blockIdx.x == 1) { d[0] = 7; r.store(1, cuda::memory_order_release); }
  else { while (r.load(cuda::memory_order_acquire) == 0); o[0] = d[0]; }
}
// Relaxed store: race
// SIM-NEW
// SIM: ar_relaxed grid=2 block=32 args=d:i32[1]:inout:zero,f:i32[1]:inout:zero,o:i32[1]:out
__global__ void ar_relaxed(int *d, int *f, int *o) {
  if (threadIdx.x) return;
  cuda::atomic_ref<int, cuda::thread_scope_device> r(*f);
  if (blockIdx.x == 1) { d[0] = 7; r.store(1, cuda::memory_order_relaxed); } //~? race_blocks
  else { while (r.load(cuda::memory_order_relaxed) == 0); o[0] = d[0]; } //~ race_blocks
}
// Acquire load relaxed, but release store: still race
// SIM-NEW
// SIM: ar_noacq grid=2 block=32 args=d:i32[1]:inout:zero,f:i32[1]:inout:zero,o:i32[1]:out
__global__ void ar_noacq(int *d, int *f, int *o) {
  if (threadIdx.x) return;
  cuda::atomic_ref<int, cuda::thread_scope_device> r(*f);
  if (blockIdx.x == 1) { d[0] = 7; r.store(1, cuda::memory_order_release); }
  else { while (r.load(cuda::memory_order_relaxed) == 0); o[0] = d[0]; } //~ race_blocks
}
// Block scope across blocks
// SIM-NEW
// SIM: ar_block grid=2 block=32 args=d:i32[1]:inout:zero,f:i32[1]:inout:zero,o:i32[1]:out
__global__ void ar_block(int *d, int *f, int *o) {
  if (threadIdx.x) return;
  cuda::atomic_ref<int, cuda::thread_scope_block> r(*f);
  if (blockIdx.x == 1) { d[0] = 7; r.store(1, cuda::memory_order_release); } //~? race_blocks
  else { while (r.load(cuda::memory_order_acquire) == 0); o[0] = d[0]; } //~ race_blocks
}
// Spin lock by atomic_flag style exchange acquire/release
__device__ int lk = 0;
// SIM-NEW
// SIM: lock_ar grid=8 block=32 args=c:i32[1]:inout:zero
// SIM-OUTPUT: c[0] = 8
__global__ void lock_ar(int *c) {
  if (threadIdx.x) return;
  cuda::atomic_ref<int, cuda::thread_scope_device> l(lk);
  while (l.exchange(1, cuda::memory_order_acquire)) {}
  c[0] += 1;
  l.store(0, cuda::memory_order_release);
}
// Unlock before write
// SIM-NEW
// SIM: lock_early grid=8 block=32 args=c:i32[1]:inout:zero
__global__ void lock_early(int *c) {
  if (threadIdx.x) return;
  cuda::atomic_ref<int, cuda::thread_scope_device> l(lk);
  while (l.exchange(1, cuda::memory_order_acquire)) {}
  l.store(0, cuda::memory_order_release);
  c[0] += 1; //~ race_blocks
}
// Ticket lock
__device__ unsigned tk = 0, serving = 0;
// SIM-NEW
// SIM: ticket grid=8 block=32 args=c:i32[1]:inout:zero
// SIM-OUTPUT: c[0] = 8
__global__ void ticket(int *c) {
  if (threadIdx.x) return;
  unsigned my = atomicAdd(&tk, 1);
  while (atomicAdd(&serving, 0) != my) {}
  __threadfence();
  c[0] += 1;
  __threadfence();
  atomicAdd(&serving, 1);
}
// Two locks for one datum
__device__ int la = 0, lb = 0;
// SIM-NEW
// SIM: two_locks grid=8 block=32 args=c:i32[1]:inout:zero
__global__ void two_locks(int *c) {
  if (threadIdx.x) return;
  int *l = blockIdx.x & 1 ? &la : &lb;
  while (atomicCAS(l, 0, 1)) {}
  __threadfence();
  c[0] += 1; //~ race_blocks
  __threadfence();
  atomicExch(l, 0);
}
// Warp-synchronous volatile reduction without syncwarp (legacy): race
// SIM-NEW
// SIM: warp_volatile grid=1 block=32 args=x:f32[32]:in,o:f32[1]:out
__global__ void warp_volatile(const float *x, float *o) {
  __shared__ volatile float s[64];
  int t = threadIdx.x;
  s[t] = x[t]; s[t + 32] = 0;
  s[t] += s[t + 16]; //~? race_shared uninitialised_read
  s[t] += s[t + 8]; //~? race_shared uninitialised_read
  s[t] += s[t + 4]; //~? race_shared uninitialised_read
  s[t] += s[t + 2]; //~? race_shared uninitialised_read
  s[t] += s[t + 1]; //~? race_shared uninitialised_read
  if (t == 0) o[0] = s[0];
}
// SIM-EXPECT: race_shared
// With syncwarp, right
// SIM-NEW
// SIM: warp_synced grid=1 block=32 args=x:f32[32]:in,o:f32[1]:out
__global__ void warp_synced(const float *x, float *o) {
  __shared__ volatile float s[64];
  int t = threadIdx.x;
  s[t] = x[t]; s[t + 32] = 0;
  __syncwarp();
  for (int k = 16; k; k >>= 1) { float v = s[t + k]; __syncwarp(); s[t] += v; __syncwarp(); }
  if (t == 0) o[0] = s[0];
}
// Syncwarp between read and write missing
// SIM-NEW
// SIM: warp_half grid=1 block=32 args=x:f32[32]:in,o:f32[1]:out
__global__ void warp_half(const float *x, float *o) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = x[t]; s[t + 32] = 0;
  __syncwarp();
  for (int k = 16; k; k >>= 1) { s[t] += s[t + k]; __syncwarp(); } //~ race_shared
  if (t == 0) o[0] = s[0];
}
// Cooperative tile of 8, each with own sync
// SIM-NEW
// SIM: tile8 grid=1 block=64 args=x:f32[64]:in,o:f32[8]:out
__global__ void tile8(const float *x, float *o) {
  __shared__ float s[64];
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  int r = tile.thread_rank(), base = threadIdx.x & ~7;
  s[threadIdx.x] = x[threadIdx.x];
  tile.sync();
  for (int k = 4; k; k >>= 1) { float v = r < k ? s[base + r + k] : 0; tile.sync(); if (r < k) s[base + r] += v; tile.sync(); }
  if (r == 0) o[threadIdx.x / 8] = s[base];
}
// Tile sync but neighbours of another tile read
// SIM-NEW
// SIM: tile_cross grid=1 block=64 args=x:f32[64]:in,o:f32[64]:out
__global__ void tile_cross(const float *x, float *o) {
  __shared__ float s[64];
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  s[threadIdx.x] = x[threadIdx.x]; //~? race_shared
  tile.sync();
  o[threadIdx.x] = s[(threadIdx.x + 4) & 63]; //~? race_shared uninitialised_read
}
// Split arrive with named barriers: producer bar.arrive, consumer bar.sync
// SIM-NEW
// SIM: named_split grid=1 block=64 args=o:i32[32]:out
__global__ void named_split(int *o) {
  __shared__ int s[32];
  int l = threadIdx.x & 31;
  if (threadIdx.x < 32) { s[l] = l; __threadfence_block(); asm volatile("bar.arrive 1, 64;" ::: "memory"); }
  else { asm volatile("bar.sync 1, 64;" ::: "memory"); o[l] = s[31 - l]; }
}
// Wrong id
// SIM-NEW
// SIM: named_wrong grid=1 block=64 args=o:i32[32]:out
__global__ void named_wrong(int *o) {
  __shared__ int s[32];
  int l = threadIdx.x & 31;
  if (threadIdx.x < 32) { s[l] = l; asm volatile("bar.arrive 1, 64;" ::: "memory"); } //~? barrier_divergence
  else { asm volatile("bar.sync 2, 64;" ::: "memory"); o[l] = s[31 - l]; } //~ barrier_divergence race_shared
}
// Named: two warps each own barrier with own count, right
// SIM-NEW
// SIM: named_pairs grid=1 block=128 args=o:i32[128]:out
__global__ void named_pairs(int *o) {
  __shared__ int s[128];
  s[threadIdx.x] = threadIdx.x;
  int pair = threadIdx.x / 64;
  asm volatile("bar.sync %0, 64;" ::"r"(pair + 1) : "memory");
  o[threadIdx.x] = s[threadIdx.x ^ 32];
}
// Named: read of other pair
// SIM-NEW
// SIM: named_cross grid=1 block=128 args=o:i32[128]:out
__global__ void named_cross(int *o) {
  __shared__ int s[128];
  s[threadIdx.x] = threadIdx.x; //~? race_shared
  int pair = threadIdx.x / 64;
  asm volatile("bar.sync %0, 64;" ::"r"(pair + 1) : "memory");
  o[threadIdx.x] = s[threadIdx.x ^ 64]; //~? race_shared uninitialised_read
}
// SIM-EXPECT: race_shared
// Float4 unaligned
// SIM-NEW
// SIM: vec_mis grid=1 block=8 args=x:f32[64]:in,o:f32[64]:out
__global__ void vec_mis(const float *x, float *o) {
  float4 v = *reinterpret_cast<const float4 *>(x + 1 + threadIdx.x * 4); //~ misaligned_access
  o[threadIdx.x] = v.x + v.w;
}
// Float4 tail over end
// SIM-NEW
// SIM: vec_tail grid=1 block=8 args=x:f32[30]:in,o:f32[32]:out
__global__ void vec_tail(const float *x, float *o) {
  float4 v = reinterpret_cast<const float4 *>(x)[threadIdx.x]; //~ out_of_bounds_global
  o[threadIdx.x] = v.x + v.w;
}
// Float3 reads (12 bytes), right
// SIM-NEW
// SIM: vec3 grid=1 block=10 args=x:f32[30]:in,o:f32[30]:out
__global__ void vec3(const float3 *x, float3 *o) {
  float3 v = x[threadIdx.x];
  v.x += 1;
  o[threadIdx.x] = v;
}
struct Bits { unsigned a : 5, b : 11, c : 16; };
// Bit fields of one word by different threads: race
// SIM-NEW
// SIM: bitfields grid=1 block=64 args=o:u32[64]:out
__global__ void bitfields(unsigned *o) {
  __shared__ Bits s[32];
  int i = threadIdx.x & 31;
  if (threadIdx.x < 32) { s[i].a = 0; s[i].b = 0; s[i].c = 0; }
  __syncthreads();
  if (threadIdx.x < 32) s[i].a = 3; else s[i].b = 5; //~ race_shared
  __syncthreads();
  o[threadIdx.x] = s[i].a + s[i].b;
}
// Neighbouring bytes by different threads, right
// SIM-NEW
// SIM: bytes_apart grid=1 block=64 args=o:u8[64]:out
__global__ void bytes_apart(unsigned char *o) {
  __shared__ unsigned char s[64];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  o[threadIdx.x] = s[63 - threadIdx.x];
}
union U { float f; unsigned u; unsigned char b[4]; };
// Union puns, right
// SIM-NEW
// SIM: unions grid=1 block=32 args=x:f32[32]:in,o:u32[32]:out
__global__ void unions(const float *x, unsigned *o) {
  U u; u.f = x[threadIdx.x];
  o[threadIdx.x] = u.u ^ u.b[3];
}
// Local array index past
// SIM-NEW
// SIM: local_var grid=1 block=32 args=x:i32[32]:in,o:i32[32]:out
__global__ void local_var(const int *x, int *o) {
  int a[8];
  for (int i = 0; i < 8; ++i) a[i] = i;
  o[threadIdx.x] = a[x[threadIdx.x] % 9]; //~ out_of_bounds_local
}
// Local array partly unwritten
// SIM-NEW
// SIM: local_unwritten grid=1 block=32 args=x:i32[32]:in,o:i32[32]:out
__global__ void local_unwritten(const int *x, int *o) {
  int a[8];
  for (int i = 0; i < 7; ++i) a[i] = i;
  o[threadIdx.x] = a[x[threadIdx.x] % 8]; //~ uninitialised_read
}
