// Thread block clusters by the launch's attributes: a block reads what its neighbour of the cluster holds in shared memory.
// GPU-CALL: launch_relu args=x:f32[65536]:in,y:f32[65536]:out,i32=65536
// GPU-REFERENCE: relu n=65536 x=x y=y
// GPU-PERF: runs=10
// GPU-EXPECT: ok
#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

__global__ void relu_kernel(const float *x, float *y, int n) {
  __shared__ float part[256];
  cg::cluster_group cluster = cg::this_cluster();
  unsigned other = cluster.block_rank() ^ 1;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  part[threadIdx.x] = i < n ? fmaxf(x[i], 0.0f) : 0.0f;
  cluster.sync();
  int theirs = (int(blockIdx.x) ^ 1) * int(blockDim.x) + int(threadIdx.x);
  if (theirs < n)
    y[theirs] = cluster.map_shared_rank(part, other)[threadIdx.x];
  cluster.sync();
}

void launch_relu(const float *x, float *y, int n) {
  cudaLaunchConfig_t how = {};
  how.gridDim = dim3((n + 511) / 512 * 2);
  how.blockDim = dim3(256);
  cudaLaunchAttribute pairs = {};
  pairs.id = cudaLaunchAttributeClusterDimension;
  pairs.val.clusterDim.x = 2;
  pairs.val.clusterDim.y = pairs.val.clusterDim.z = 1;
  how.attrs = &pairs;
  how.numAttrs = 1;
  cudaLaunchKernelEx(&how, relu_kernel, x, y, n);
}
