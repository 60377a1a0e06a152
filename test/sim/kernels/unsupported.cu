// What the simulator does not have: said at its line, never a silent wrong answer.
#include <cuda_runtime.h>

// SIM: texture grid=1 block=32 args=u64=0,o:f32[32]:out
__global__ void texture(cudaTextureObject_t t, float *o) {
  o[threadIdx.x] = tex2D<float>(t, threadIdx.x, 0); //~ unsupported_by_simulator
}
// SIM-NEW
// SIM: surface grid=1 block=32 args=u64=0
__global__ void surface(cudaSurfaceObject_t s) {
  surf2Dwrite(1.0f, s, threadIdx.x * 4, 0); //~ unsupported_by_simulator
}
// SIM-NEW
// SIM: bulk_reduce grid=1 block=32 args=o:i32[32]:out
__global__ void bulk_reduce(int *o) {
  __shared__ alignas(16) int s[32];
  unsigned from = (unsigned)__cvta_generic_to_shared(s);
  s[threadIdx.x] = 1;
  __syncthreads();
  if (threadIdx.x == 0)
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 [%0], [%1], 128;" ::"l"(o), "r"(from)); //~ unsupported_by_simulator
}
// SIM-NEW
// SIM: cluster grid=1 block=32 args=o:i32[32]:out
__global__ void cluster(int *o) {
  unsigned r;
  asm volatile("barrier.cluster.arrive.aligned;"); //~ unsupported_by_simulator
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r)); //~? unsupported_by_simulator
  o[threadIdx.x] = r;
}
