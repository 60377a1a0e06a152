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
// SIM: mbarrier grid=1 block=32 args=o:i32[32]:out
__global__ void mbarrier(int *o) {
  __shared__ unsigned long long b;
  unsigned at = (unsigned)__cvta_generic_to_shared(&b);
  if (threadIdx.x == 0)
    asm volatile("mbarrier.init.shared.b64 [%0], 32;" ::"r"(at)); //~ unsupported_by_simulator
  o[threadIdx.x] = 1;
}
// SIM-NEW
// SIM: bulk_copy grid=1 block=32 args=x:f32[32]:in,o:f32[32]:out
__global__ void bulk_copy(const float *x, float *o) {
  __shared__ alignas(16) float s[32];
  __shared__ unsigned long long b;
  unsigned to = (unsigned)__cvta_generic_to_shared(s), at = (unsigned)__cvta_generic_to_shared(&b);
  if (threadIdx.x == 0)
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 128, [%2];" ::"r"(to), "l"(x), "r"(at)); //~ unsupported_by_simulator
  o[threadIdx.x] = 1;
}
// SIM-NEW
// SIM: cluster grid=1 block=32 args=o:i32[32]:out
__global__ void cluster(int *o) {
  unsigned r;
  asm volatile("barrier.cluster.arrive.aligned;"); //~ unsupported_by_simulator
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r)); //~? unsupported_by_simulator
  o[threadIdx.x] = r;
}
