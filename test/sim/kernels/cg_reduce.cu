// The library's reduction over a tile; its header is large, so it stands alone.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;

// SIM: reduced grid=1 block=64 args=x:f32[64]:in:one,o:f32[2]:out
// SIM-OUTPUT: o[1] = 32
__global__ void reduced(const float *x, float *o) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  float v = cg::reduce(tile, x[threadIdx.x], cg::plus<float>());
  if (tile.thread_rank() == 0) o[tile.meta_group_rank()] = v;
}
