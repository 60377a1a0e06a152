// Barrier objects in shared memory, by the library and by assembly.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
namespace cg = cooperative_groups;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

// SIM: phases grid=2 block=128 args=o:i32[256]:out
// SIM-OUTPUT: o[5] = 366
__global__ void phases(int *o) {
  __shared__ Barrier bar;
  __shared__ int s[128];
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  s[threadIdx.x] = threadIdx.x;
  auto token = bar.arrive();
  bar.wait(std::move(token));
  int v = s[127 - threadIdx.x];
  bar.arrive_and_wait();
  s[threadIdx.x] = 2 * threadIdx.x;
  bar.arrive_and_wait();
  o[blockIdx.x * 128 + threadIdx.x] = v + s[127 - threadIdx.x];
}
// SIM-NEW
// SIM: arrived_only grid=1 block=128 args=o:i32[128]:out
__global__ void arrived_only(int *o) {
  __shared__ Barrier bar;
  __shared__ int s[128];
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  s[threadIdx.x] = threadIdx.x; //~ race_shared
  auto token = bar.arrive();
  o[threadIdx.x] = s[127 - threadIdx.x]; //~? race_shared uninitialised_read
  bar.wait(std::move(token));
}
// SIM-NEW
// SIM: init_unseen grid=1 block=64 args=o:i32[64]:out
__global__ void init_unseen(int *o) {
  __shared__ Barrier bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  bar.arrive_and_wait(); //~ race_shared
  o[threadIdx.x] = 1;
}
// SIM-NEW
// SIM: one_too_many grid=1 block=64 args=o:i32[64]:out
__global__ void one_too_many(int *o) {
  __shared__ Barrier bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x + 1);
  __syncthreads();
  bar.arrive_and_wait(); //~ timeout
  o[threadIdx.x] = 1; //~? uninitialised_read
}
// SIM-NEW
// SIM: producer_consumer grid=1 block=64 args=o:i32[128]:out
// SIM-OUTPUT: o[33] = 34
// Warp 0 fills a buffer for warp 1, four times.
__global__ void producer_consumer(int *o) {
  __shared__ Barrier full, empty;
  __shared__ int s[32];
  if (threadIdx.x == 0) {
    init(&full, 64);
    init(&empty, 64);
  }
  __syncthreads();
  int lane = threadIdx.x & 31;
  for (int i = 0; i < 4; ++i)
    if (threadIdx.x < 32) {
      if (i) empty.arrive_and_wait();
      s[lane] = i * 32 + lane;
      (void)full.arrive();
    } else {
      full.arrive_and_wait();
      o[i * 32 + lane] = s[lane ^ 3];
      if (i < 3) (void)empty.arrive();
    }
}
// SIM-NEW
// SIM: overwritten grid=1 block=64 args=o:i32[128]:out
// The producer does not wait until the buffer is empty.
__global__ void overwritten(int *o) {
  __shared__ Barrier full;
  __shared__ int s[32];
  if (threadIdx.x == 0) init(&full, 64);
  __syncthreads();
  int lane = threadIdx.x & 31;
  for (int i = 0; i < 4; ++i)
    if (threadIdx.x < 32) {
      s[lane] = i * 32 + lane; //~ race_shared
      full.arrive_and_wait();
    } else {
      full.arrive_and_wait();
      o[i * 32 + lane] = s[lane ^ 3]; //~? race_shared
    }
}
// SIM-NEW
// SIM: dropped grid=1 block=64 args=o:i32[64]:out
__global__ void dropped(int *o) {
  __shared__ Barrier bar;
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  __syncthreads();
  if (threadIdx.x >= 32) {
    bar.arrive_and_drop();
    o[threadIdx.x] = 0;
    return;
  }
  bar.arrive_and_wait();
  bar.arrive_and_wait();
  o[threadIdx.x] = 1;
}
// SIM-NEW
// SIM: copied grid=1 block=128 args=x:i32[128]:in,o:i32[128]:out
// SIM-OUTPUT: o[0] = 14
__global__ void copied(const int *x, int *o) {
  __shared__ Barrier bar;
  __shared__ alignas(16) int s[128];
  auto block = cg::this_thread_block();
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  block.sync();
  cuda::memcpy_async(block, s, x, sizeof s, bar);
  bar.arrive_and_wait();
  o[threadIdx.x] = s[127 - threadIdx.x];
}
// SIM-NEW
// SIM: copy_unawaited grid=1 block=128 args=x:i32[128]:in,o:i32[128]:out
__global__ void copy_unawaited(const int *x, int *o) {
  __shared__ Barrier bar;
  __shared__ alignas(16) int s[128];
  auto block = cg::this_thread_block();
  if (threadIdx.x == 0) init(&bar, blockDim.x);
  block.sync();
  cuda::memcpy_async(block, s, x, sizeof s, bar); //~? race_shared
  o[threadIdx.x] = s[127 - threadIdx.x];          //~ uninitialised_read
  bar.arrive_and_wait();                          //~? race_shared
}
// SIM-EXPECT: race_shared
// SIM-NEW
// SIM: stages grid=1 block=128 args=x:i32[512]:in,o:i32[128]:out
__global__ void stages(const int *x, int *o) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  __shared__ int s[2][128];
  auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  int sum = 0;
  for (int i = 0; i <= 4; ++i) {
    if (i < 4) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, s[i & 1], x + i * 128, sizeof s[0], pipe);
      pipe.producer_commit();
    }
    if (i > 0) {
      pipe.consumer_wait();
      sum += s[(i - 1) & 1][127 - threadIdx.x];
      pipe.consumer_release();
    }
  }
  o[threadIdx.x] = sum;
}
// SIM-NEW
// SIM: bulk grid=1 block=64 args=x:f32[64]:in:one,o:f32[64]:out
// SIM-OUTPUT: o[7] = 2
__global__ void bulk(const float *x, float *o) {
  __shared__ alignas(16) float s[64];
  __shared__ unsigned long long b;
  unsigned to = (unsigned)__cvta_generic_to_shared(s), at = (unsigned)__cvta_generic_to_shared(&b);
  if (threadIdx.x == 0)
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at));
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::"r"(to), "l"(x), "r"(at));
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 256;" ::"r"(at));
  }
  int done = 0;
  while (!done)
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.b32 %0, 1, 0, p; }" : "=r"(done) : "r"(at) : "memory");
  float v = s[63 - threadIdx.x] + 1;
  __syncthreads();
  s[threadIdx.x] = v;
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned from = to;
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;" ::"l"(o), "r"(from) : "memory");
    asm volatile("cp.async.bulk.commit_group;");
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  }
}
// SIM-NEW
// SIM: bulk_unawaited grid=1 block=64 args=x:f32[64]:in:one,o:f32[64]:out
__global__ void bulk_unawaited(const float *x, float *o) {
  __shared__ alignas(16) float s[64];
  __shared__ unsigned long long b;
  unsigned to = (unsigned)__cvta_generic_to_shared(s), at = (unsigned)__cvta_generic_to_shared(&b);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at));
    asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 256;" ::"r"(at));
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::"r"(to), "l"(x), "r"(at));
  }
  __syncthreads();
  o[threadIdx.x] = s[threadIdx.x]; //~ uninitialised_read
}
