// RUN: %kcheck_test --hosts kcheck %s
// REQUIRES: cuda
#include <cuda_runtime.h>

namespace cg = cooperative_groups; // expect: missing_include

__global__ void groupsOk(const float *x, float *y) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  float v = x[threadIdx.x];
  for (int o = tile.size() / 2; o > 0; o /= 2)
    v += tile.shfl_down(v, o);
  if (tile.thread_rank() == 0)
    y[blockIdx.x] = v;
}
