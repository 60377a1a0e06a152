// RUN: %kcheck_test --rules=sync %s
// Methods of cooperative groups that are static, as the toolkit's are, called through an object or by the class's name.
#include <cuda_runtime.h>

namespace cooperative_groups {
struct thread_block {
  static __device__ void sync() { __syncthreads(); }
  static __device__ unsigned thread_rank() { return threadIdx.x; }
};
inline __device__ thread_block this_thread_block() { return {}; }
} // namespace cooperative_groups
namespace cg = cooperative_groups;

__global__ void warpMaximaOk(const float *x, float *y) {
  __shared__ float part[8];
  cg::thread_block block = cg::this_thread_block();
  if (threadIdx.x % 32 == 0)
    part[threadIdx.x / 32] = x[blockIdx.x * 256 + threadIdx.x];
  block.sync();
  if (threadIdx.x < 8)
    y[blockIdx.x * 8 + threadIdx.x] = part[threadIdx.x];
}
void launchMaxima(const float *x, float *y, int blocks) { warpMaximaOk<<<blocks, 256>>>(x, y); }

__global__ void namedByClassOk(const float *x, float *y) {
  __shared__ float row[256];
  row[cg::thread_block::thread_rank()] = x[blockIdx.x * 256 + threadIdx.x];
  cg::thread_block::sync();
  y[blockIdx.x * 256 + threadIdx.x] = row[255 - threadIdx.x];
}
void launchNamed(const float *x, float *y, int blocks) { namedByClassOk<<<blocks, 256>>>(x, y); }

__global__ void halfWaitBad(const float *x, float *y) {
  __shared__ float row[256];
  cg::thread_block block = cg::this_thread_block();
  row[threadIdx.x] = x[blockIdx.x * 256 + threadIdx.x];
  if (block.thread_rank() < 128)
    block.sync(); // expect: reject barrier_divergence
  y[blockIdx.x * 256 + threadIdx.x] = row[threadIdx.x];
}
void launchHalf(const float *x, float *y, int blocks) { halfWaitBad<<<blocks, 256>>>(x, y); }

__global__ void noSyncBad(const float *x, float *y) {
  __shared__ float row[256];
  cg::thread_block block = cg::this_thread_block();
  row[block.thread_rank()] = x[blockIdx.x * 256 + threadIdx.x];
  y[blockIdx.x * 256 + threadIdx.x] = row[255 - block.thread_rank()]; // expect: reject missing_barrier
}
void launchNoSync(const float *x, float *y, int blocks) { noSyncBad<<<blocks, 256>>>(x, y); }

// A network whose places sizes choose: lengths that are no power of two are ours, not the callers'.
__device__ void exchange(unsigned &a, unsigned &b, unsigned up) {
  if ((a > b) == up) {
    unsigned t = a;
    a = b;
    b = t;
  }
}
__global__ void mergeStepsOk(unsigned *keys, unsigned length, unsigned up) {
  __shared__ unsigned part[512];
  part[threadIdx.x] = keys[blockIdx.x * 512 + threadIdx.x];
  part[threadIdx.x + 256] = keys[blockIdx.x * 512 + threadIdx.x + 256];
  for (unsigned stride = length / 2; stride > 0; stride >>= 1) {
    __syncthreads();
    unsigned at = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
    exchange(part[at], part[at + stride], up);
  }
  __syncthreads();
  keys[blockIdx.x * 512 + threadIdx.x] = part[threadIdx.x];
  keys[blockIdx.x * 512 + threadIdx.x + 256] = part[threadIdx.x + 256];
}
void launchMerge(unsigned *keys, unsigned blocks, unsigned length, unsigned up) {
  if (length < 2 || length > 512)
    return;
  mergeStepsOk<<<blocks, 256>>>(keys, length, up);
}

// Without a launch: a block as large as the array that it fills.
__global__ void neighboursOk(float *x, int steps) {
  __shared__ float row[129];
  row[threadIdx.x] = x[blockIdx.x * 128 + threadIdx.x];
  if (threadIdx.x == 0)
    row[128] = 0.0f;
  __syncthreads();
  x[blockIdx.x * 128 + threadIdx.x] = row[threadIdx.x] + row[threadIdx.x + 1];
}

// Packets of two in rows: that those of an odd row would meet the next row's says nothing, for they would not be aligned.
__global__ void addToRowsOk(float *table, float2 r, int rows, int width) {
  int column = (blockIdx.x * blockDim.x + threadIdx.x) * 2;
  if (column >= width)
    return;
  for (int y = blockIdx.y * 4; y < min(rows, int(blockIdx.y) * 4 + 4); ++y) {
    float2 *at = (float2 *)(table + (size_t)y * width + column), was = *at;
    *at = make_float2(was.x + r.x, was.y + r.y);
  }
}
void launchAddToRows(float *table, float2 r, int rows, int width) {
  addToRowsOk<<<dim3((width + 63) / 64, (rows + 3) / 4), 32>>>(table, r, rows, width);
}
