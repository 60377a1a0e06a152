// Half precision, cooperative groups, asynchronous copies, matrix instructions: what goes through inline PTX.
#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;

// SIM: halves grid=1 block=32 args=a:f16[64]:in,b:f16[64]:in:one,o:f32[64]:out
// SIM-OUTPUT: o[9] = 2.265625
__global__ void halves(const half2 *a, const half2 *b, float2 *o) {
  half2 v = __hfma2(a[threadIdx.x], b[threadIdx.x], b[threadIdx.x]);
  half2 w = __hmul2(__hsub2(v, b[threadIdx.x]), __float2half2_rn(2.0f));
  w = __hadd2(w, __floats2half2_rn(0.015625f, 0.015625f));
  o[threadIdx.x] = __half22float2(w);
}
// SIM-NEW
// SIM: bfloats grid=1 block=32 args=a:bf16[32]:in,o:f32[32]:out
// SIM-OUTPUT: o[8] = 3
__global__ void bfloats(const __nv_bfloat16 *a, float *o) {
  __nv_bfloat16 v = a[threadIdx.x];
  o[threadIdx.x] = __bfloat162float(__hadd(__hmul(v, __float2bfloat16(2.0f)), __float2bfloat16(1.0f)));
}
// SIM-NEW
// SIM: shorter grid=1 block=32 args=o:f32[4]:out
// SIM-OUTPUT: o[0] = 1.0009765625
// SIM-OUTPUT: o[1] = 1
// SIM-OUTPUT: o[2] = 1.0009765625
// SIM-OUTPUT: o[3] = -1.0009765625
__device__ float shorter_by(float x) {
  float r;
  asm volatile("{.reg .b32 t;\ncvt.rna.tf32.f32 t, %1;\nmov.b32 %0, t;}\n" : "=f"(r) : "f"(x));
  return r;
}
__global__ void shorter(float *o) {
  if (threadIdx.x)
    return;
  o[0] = shorter_by(1.00048828125f); // a tie: away from zero
  o[1] = shorter_by(1.000488f);
  o[2] = shorter_by(1.0010f);
  o[3] = shorter_by(-1.00048828125f);
}
// SIM-NEW
// SIM: bytes_and_halves grid=1 block=32 args=o:u32[10]:out
// SIM-OUTPUT: o[0] = 0
// SIM-OUTPUT: o[9] = 514
__global__ void bytes_and_halves(unsigned *o) {
  if (threadIdx.x)
    return;
  unsigned a = 0x80FF7F01, b = 0x01017F02, wrong = 0;
  wrong |= __vadd4(a, b) ^ 0x8100FE03;
  wrong |= __vaddss4(a, b) ^ 0x81007F03;
  wrong |= __vaddus4(a, b) ^ 0x81FFFE03;
  wrong |= __vsubss4(a, b) ^ 0x80FE00FF;
  wrong |= __vmaxs4(a, b) ^ 0x01017F02;
  wrong |= __vmaxu4(a, b) ^ 0x80FF7F02;
  wrong |= __vmins2(a, b) ^ 0x80FF7F01;
  wrong |= __vavgu4(a, b) ^ 0x41807F02;
  wrong |= __vabsdiffu4(a, b) ^ 0x7FFE0001;
  wrong |= __vcmpgtu4(a, b) ^ 0xFFFF0000;
  wrong |= __vcmpges4(a, b) ^ 0x0000FF00;
  wrong |= __vsadu4(a, b) ^ 382;
  unsigned mask, all, none;
  asm("bmsk.clamp.b32 %0, 4, 8;" : "=r"(mask));
  asm("bmsk.clamp.b32 %0, %1, 40;" : "=r"(all) : "r"(wrong));
  asm("bmsk.clamp.b32 %0, 33, 8;" : "=r"(none));
  wrong |= (mask ^ 0xFF0) | ~all | none;
  o[0] = wrong;
  o[9] = __vadd2(0x01000101, 0x00000101) - 0x01000000; // halves: 0x0202
}
// SIM-NEW
// SIM: tiles grid=2 block=64 args=a:f32[128]:in:one,o:f32[8]:out
// SIM-OUTPUT: o[3] = 16
__global__ void tiles(const float *a, float *o) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<16> tile = cg::tiled_partition<16>(block);
  float v = a[blockIdx.x * 64 + threadIdx.x];
  for (int k = tile.size() / 2; k > 0; k /= 2) v += tile.shfl_down(v, k);
  block.sync();
  if (tile.thread_rank() == 0) o[blockIdx.x * 4 + threadIdx.x / 16] = v;
}
// SIM-NEW
// SIM: whole_grid grid=4 block=32 coop=1 args=p:f32[128]:out,o:f32[128]:out
// SIM-OUTPUT: o[0] = 127
__global__ void whole_grid(float *p, float *o) {
  cg::grid_group g = cg::this_grid();
  int i = blockIdx.x * 32 + threadIdx.x;
  p[i] = i;
  g.sync();
  o[i] = p[127 - i];
}
// SIM-NEW
// SIM: copies grid=1 block=32 args=a:f32[128]:in,o:f32[128]:out
// SIM-OUTPUT: o[9] = 1.125
__global__ void copies(const float4 *a, float4 *o) {
  __shared__ float4 s[32];
  unsigned to = (unsigned)__cvta_generic_to_shared(&s[threadIdx.x]);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(a + threadIdx.x));
  asm volatile("cp.async.commit_group;");
  asm volatile("cp.async.wait_group 0;");
  __syncthreads();
  o[threadIdx.x] = s[threadIdx.x];
}
// SIM-NEW
// SIM: no_wait grid=1 block=32 args=a:f32[128]:in,o:f32[128]:out
__global__ void no_wait(const float4 *a, float4 *o) {
  __shared__ float4 s[32];
  unsigned to = (unsigned)__cvta_generic_to_shared(&s[threadIdx.x]);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(a + threadIdx.x));
  asm volatile("cp.async.commit_group;");
  __syncthreads();
  o[threadIdx.x] = s[threadIdx.x]; //~ uninitialised_read
}
// SIM-NEW
// SIM: matrix grid=1 block=32 args=a:f16[256]:in:one,b:f16[128]:in:one,o:f32[128]:out
// SIM-OUTPUT: o[77] = 16
__global__ void matrix(const unsigned *a, const unsigned *b, float *o) {
  int g = threadIdx.x / 4, t = threadIdx.x % 4;
  unsigned a0 = a[g * 8 + t], a1 = a[(g + 8) * 8 + t], a2 = a[g * 8 + t + 4], a3 = a[(g + 8) * 8 + t + 4];
  unsigned b0 = b[g * 8 + t], b1 = b[g * 8 + t + 4];
  float d0, d1, d2, d3;
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"
               : "=f"(d0), "=f"(d1), "=f"(d2), "=f"(d3)
               : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1), "f"(0.f), "f"(0.f), "f"(0.f), "f"(0.f));
  o[g * 8 + t * 2] = d0;
  o[g * 8 + t * 2 + 1] = d1;
  o[(g + 8) * 8 + t * 2] = d2;
  o[(g + 8) * 8 + t * 2 + 1] = d3;
}
// SIM-NEW
// SIM: unknown grid=1 block=32 args=o:i32[32]:out
__global__ void unknown(int *o) {
  int v;
  asm volatile("tcgen05.frobnicate.b32 %0;" : "=r"(v)); //~ unsupported_by_simulator
  o[threadIdx.x] = v;
}
