// Pairs: warps, masks, cooperative groups, votes, named barriers.
#include <cooperative_groups.h>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;

// SIM: legacy_reduce grid=1 block=32 args=x:f32[32]:in:one,o:f32[1]:out
__global__ void legacy_reduce(const float *x, float *o) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = x[t];
  s[t + 32] = 0;
  s[t] += s[t + 16]; //~? race_shared uninitialised_read
  s[t] += s[t + 8];  //~? race_shared uninitialised_read
  if (t == 0) o[0] = s[0];
}
// SIM-EXPECT: race_shared
// SIM-NEW
// SIM: masked_branch grid=1 block=32 args=x:i32[32]:in,o:i32[32]:out
// SIM-OUTPUT: o[0] = 9
__global__ void masked_branch(const int *x, int *o) {
  bool in = threadIdx.x < 10;
  unsigned m = __ballot_sync(~0u, in);
  int v = 0;
  if (in) {
    v = x[threadIdx.x];
    for (int k = 8; k; k >>= 1) {
      int w = __shfl_down_sync(m, v, k); //~? warp_lane_absent
      if (threadIdx.x + k < 10 && w > v) v = w;
    }
  }
  o[threadIdx.x] = v;
}
// SIM-NEW
// SIM: both_sides grid=1 block=32 args=o:i32[32]:out
// SIM-OUTPUT: o[31] = 16
__global__ void both_sides(int *o) {
  int v;
  if (threadIdx.x < 16)
    v = __reduce_add_sync(0x0000ffffu, 1);
  else
    v = __reduce_add_sync(0xffff0000u, 1);
  o[threadIdx.x] = v;
}
// SIM-NEW
// SIM: aggregated grid=2 block=64 args=x:i32[128]:in,n:i32[1]:inout:zero,o:i32[128]:out
__global__ void aggregated(const int *x, int *n, int *o) {
  int i = blockIdx.x * 64 + threadIdx.x;
  o[i] = -1;
  __syncthreads();
  if (x[i] & 1) {
    auto g = cg::coalesced_threads();
    int at = 0;
    if (g.thread_rank() == 0) at = atomicAdd(n, g.size());
    at = g.shfl(at, 0) + g.thread_rank();
    if (at >= 128) o[0] = at;
  }
}
// SIM-NEW
// SIM: tile_for_block grid=1 block=64 args=x:f32[64]:in,o:f32[64]:out
__global__ void tile_for_block(const float *x, float *o) {
  __shared__ float s[64];
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  s[threadIdx.x] = x[threadIdx.x];     //~? race_shared
  tile.sync();
  o[threadIdx.x] = s[63 - threadIdx.x]; //~? race_shared uninitialised_read
}
// SIM-EXPECT: race_shared
// SIM-NEW
// SIM: tile_in_tile grid=1 block=64 args=x:f32[64]:in,o:f32[64]:out
__global__ void tile_in_tile(const float *x, float *o) {
  __shared__ float s[64];
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  s[threadIdx.x] = x[threadIdx.x];
  tile.sync();
  o[threadIdx.x] = s[threadIdx.x ^ 7];
}
// SIM-NEW
// SIM: tile_too_small grid=1 block=64 args=x:f32[64]:in,o:f32[64]:out
__global__ void tile_too_small(const float *x, float *o) {
  __shared__ float s[64];
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  s[threadIdx.x] = x[threadIdx.x];      //~? race_shared
  tile.sync();
  o[threadIdx.x] = s[threadIdx.x ^ 15]; //~? race_shared uninitialised_read
}
// SIM-EXPECT: race_shared
// SIM-NEW
// SIM: no_grid_sync grid=4 block=32 args=p:f32[128]:out,o:f32[128]:out
__global__ void no_grid_sync(float *p, float *o) {
  int i = blockIdx.x * 32 + threadIdx.x;
  p[i] = i;           //~? race_blocks
  __syncthreads();
  o[i] = p[127 - i];  //~? race_blocks uninitialised_read
}
// SIM-EXPECT: race_blocks
// SIM-NEW
// SIM: producer_consumer grid=1 block=64 args=o:i32[32]:out
// SIM-OUTPUT: o[3] = 28
__global__ void producer_consumer(int *o) {
  __shared__ int s[32];
  if (threadIdx.x >= 32) {
    s[threadIdx.x - 32] = threadIdx.x - 32;
    asm volatile("bar.arrive 1, 64;" ::: "memory");
  } else {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    o[threadIdx.x] = s[31 - threadIdx.x];
  }
}
// SIM-NEW
// SIM: consumer_alone grid=1 block=64 args=o:i32[32]:out
__global__ void consumer_alone(int *o) {
  __shared__ int s[32];
  if (threadIdx.x >= 32) {
    s[threadIdx.x - 32] = threadIdx.x - 32; //~? race_shared
  } else {
    asm volatile("bar.sync 1, 32;" ::: "memory");
    o[threadIdx.x] = s[31 - threadIdx.x]; //~? race_shared uninitialised_read
  }
}
// SIM-EXPECT: race_shared
// SIM-NEW
// SIM: flag_in_block grid=1 block=64 args=o:i32[1]:out
// SIM-OUTPUT: o[0] = 7
__global__ void flag_in_block(int *o) {
  __shared__ int data;
  __shared__ volatile int ready;
  if (threadIdx.x == 0) ready = 0;
  __syncthreads();
  if (threadIdx.x == 32) {
    data = 7;
    __threadfence_block();
    ready = 1;
  }
  if (threadIdx.x == 0) {
    while (!ready) {}
    __threadfence_block();
    o[0] = data;
  }
}
// SIM-NEW
// SIM: barrier_in_tail grid=1 block=64 args=x:f32[64]:in,o:f32[64]:out
__global__ void barrier_in_tail(const float *x, float *o) {
  __shared__ float s[64];
  s[threadIdx.x] = x[threadIdx.x];
  for (int k = 32; k; k >>= 1)
    if (threadIdx.x < k) {
      __syncthreads(); //~ barrier_divergence
      s[threadIdx.x] += s[threadIdx.x + k]; //~? race_shared
    }
  o[threadIdx.x] = s[0]; //~? race_shared
}
// SIM-NEW
// SIM: uniform_branch grid=2 block=64 args=x:i32[2]:in,o:f32[128]:out
__global__ void uniform_branch(const int *x, float *o) {
  __shared__ float s[64];
  s[threadIdx.x] = threadIdx.x;
  if (x[blockIdx.x] > 0) __syncthreads();
  o[blockIdx.x * 64 + threadIdx.x] = s[threadIdx.x];
}
// SIM-NEW
// SIM: own_trip_count grid=1 block=64 args=x:i32[64]:in,o:f32[64]:out
__global__ void own_trip_count(const int *x, float *o) {
  float v = 0;
  for (int i = 0; i < x[threadIdx.x] % 3 + 1; ++i) {
    __syncthreads(); //~ barrier_divergence
    v += i;
  }
  o[threadIdx.x] = v;
}
// SIM-NEW
// SIM: same_trip_count grid=1 block=64 args=o:f32[100]:out,i32=100
__global__ void same_trip_count(float *o, int n) {
  for (int i = 0; i < (n + blockDim.x - 1) / blockDim.x; ++i) {
    int k = i * blockDim.x + threadIdx.x;
    __syncthreads();
    if (k < n) o[k] = k;
  }
}
// A group that is passed by value carries fields that nobody has set.
__device__ int sum_of_ranks(cg::thread_group g, int *x, int v) {
  int lane = g.thread_rank();
  for (int i = g.size() / 2; i > 0; i /= 2) {
    x[lane] = v;
    g.sync();
    if (lane < i) v += x[lane + i];
    g.sync();
  }
  return lane == 0 ? v : -1;
}
// SIM-NEW
// SIM: groups_by_value grid=1 block=64 args=o:i32[2]:out
// SIM-OUTPUT: o[0] = 2016
__global__ void groups_by_value(int *o) {
  __shared__ int s[64];
  cg::thread_block block = cg::this_thread_block();
  int all = sum_of_ranks(block, s, block.thread_rank());
  if (threadIdx.x == 0) o[0] = all;
  block.sync();
  auto tile = cg::tiled_partition<16>(block);
  int part = sum_of_ranks(tile, s + block.thread_rank() / 16 * 16, tile.thread_rank());
  if (threadIdx.x == 0) o[1] = part;
}
// SIM-NEW
// SIM: sum_of_eight grid=1 block=32 args=x:f32[32]:in:one,o:f32[2]:out
// SIM-OUTPUT: o[0] = 8
// SIM-OUTPUT: o[1] = 8
__global__ void sum_of_eight(const float *x, float *o) {
  if (threadIdx.x < 8) {
    float s = x[threadIdx.x], most = s;
    for (int k = 4; k; k >>= 1) {
      s += __shfl_down_sync(0xffu, s, k);
      most = fmaxf(most, __shfl_down_sync(0xffu, most, k));
    }
    if (threadIdx.x == 0) o[0] = s * most;
  } else if (threadIdx.x >= 16 && threadIdx.x < 24) {
    float s = x[threadIdx.x];
    s += __shfl_down_sync(0xff0000u, s, 4);
    s += __shfl_down_sync(0xff0000u, s, 2);
    s += __shfl_down_sync(0xff0000u, s, 1);
    if (threadIdx.x == 16) o[1] = s;
  }
}
// SIM-NEW
// SIM: sum_of_six grid=1 block=32 args=x:f32[32]:in:one,o:f32[1]:out
__global__ void sum_of_six(const float *x, float *o) {
  if (threadIdx.x < 6) {
    float s = x[threadIdx.x];
    for (int k = 4; k; k >>= 1)
      s += __shfl_down_sync(0x3fu, s, k); //~ warp_lane_absent
    if (threadIdx.x == 0) o[0] = s;
  }
}
// SIM-NEW
// SIM: neighbours_of_eight grid=1 block=32 args=x:f32[32]:in:one,o:f32[8]:out
__global__ void neighbours_of_eight(const float *x, float *o) {
  if (threadIdx.x < 8) {
    float s = x[threadIdx.x];
    o[threadIdx.x] = s + __shfl_down_sync(0xffu, s, 1); //~ warp_lane_absent
  }
}
// SIM-NEW
// SIM: too_far grid=1 block=32 args=x:f32[32]:in:one,o:f32[1]:out
__global__ void too_far(const float *x, float *o) {
  if (threadIdx.x < 8) {
    float s = x[threadIdx.x];
    for (int k = 16; k; k >>= 1)
      s += __shfl_down_sync(0xffu, s, k); //~ warp_lane_absent
    if (threadIdx.x == 0) o[0] = s;
  }
}
