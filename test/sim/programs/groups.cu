// Cooperative groups: tiles, coalesced groups, partial groups, grid barriers.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cooperative_groups/memcpy_async.h>
#include <cstdio>
namespace cg = cooperative_groups;
__global__ void tileOk(const int *in, int *out) {
  auto t = cg::tiled_partition<8>(cg::this_thread_block());
  int v = in[threadIdx.x];
  for (int d = t.size() / 2; d; d /= 2) v += t.shfl_down(v, d);
  if (t.thread_rank() == 0) out[threadIdx.x / 8] = v;
}
__global__ void tileBad(int *out) {
  __shared__ int s[64];
  auto t = cg::tiled_partition<16>(cg::this_thread_block());
  s[threadIdx.x] = threadIdx.x; //~ race_shared
  t.sync();
  out[threadIdx.x] = s[(threadIdx.x + 16) % 64]; //~ uninitialised_read
}
__global__ void tileSharedOk(int *out) {
  __shared__ int s[64];
  auto t = cg::tiled_partition<16>(cg::this_thread_block());
  s[threadIdx.x] = threadIdx.x;
  t.sync();
  out[threadIdx.x] = s[(threadIdx.x & ~15) + (threadIdx.x + 5) % 16];
}
__global__ void coalescedOk(int *count, int n) {
  if (threadIdx.x < n) {
    auto g = cg::coalesced_threads();
    int at = 0;
    if (g.thread_rank() == 0) at = atomicAdd(count, int(g.size()));
    at = g.shfl(at, 0);
  }
}
__global__ void reduceOk(const int *in, int *out) {
  auto b = cg::this_thread_block();
  auto t = cg::tiled_partition<32>(b);
  int s = cg::reduce(t, in[threadIdx.x], cg::plus<int>());
  if (t.thread_rank() == 0) atomicAdd(out, s);
  int x = cg::inclusive_scan(t, 1);
  if (t.thread_rank() == 31 && x != 32) out[0] = -1;
}
__global__ void groupBarrierBad(int *out, int n) {
  auto b = cg::this_thread_block();
  if (threadIdx.x < n)
    b.sync(); //~ barrier_divergence
  out[threadIdx.x] = 1;
}
__global__ void gridOk(int *a, int *b) {
  auto g = cg::this_grid();
  int i = g.thread_rank();
  a[i] = i;
  g.sync();
  b[i] = a[g.size() - 1 - i];
}
__global__ void gridBad(int *a, int *b) {
  auto g = cg::this_grid();
  int i = g.thread_rank();
  a[i] = i + 1; //~? race_blocks
  cg::this_thread_block().sync();
  b[i] = a[g.size() - 1 - i]; //~ race_blocks
}
__global__ void asyncOk(const int *in, int *out) {
  __shared__ int s[64];
  auto b = cg::this_thread_block();
  cg::memcpy_async(b, s, in, sizeof(int) * 64);
  cg::wait(b);
  out[threadIdx.x] = s[63 - threadIdx.x];
}
__global__ void asyncBad(const int *in, int *out) {
  __shared__ int s[64];
  auto b = cg::this_thread_block();
  cg::memcpy_async(b, s, in, sizeof(int) * 64); //~? race_shared
  out[threadIdx.x] = s[63 - threadIdx.x]; //~ uninitialised_read
  cg::wait(b);
}
__global__ void labelledOk(const int *in, int *out) {
  auto t = cg::tiled_partition<32>(cg::this_thread_block());
  auto g = cg::labeled_partition(t, in[threadIdx.x] % 3);
  int s = cg::reduce(g, 1, cg::plus<int>());
  out[threadIdx.x] = s;
  auto h = cg::binary_partition(t, in[threadIdx.x] & 1);
  out[threadIdx.x] += h.size();
}
int main() {
  int *a, *b, h[64];
  cudaMalloc(&a, 1024); cudaMalloc(&b, 1024);
  for (int i = 0; i < 64; ++i) h[i] = i;
  cudaMemcpy(a, h, 256, cudaMemcpyHostToDevice);
  cudaMemset(b, 0, 1024);
  tileOk<<<1, 64>>>(a, b);
  tileBad<<<1, 64>>>(b);
  tileSharedOk<<<1, 64>>>(b);
  cudaMemset(b, 0, 1024);
  coalescedOk<<<1, 64>>>(b, 45);
  reduceOk<<<1, 64>>>(a, b);
  cudaMemcpy(h, b, 4, cudaMemcpyDeviceToHost);
  printf("sum %d\n", h[0]);
  asyncOk<<<1, 64>>>(a, b);
  asyncBad<<<1, 64>>>(a, b);
  labelledOk<<<1, 64>>>(a, b);
  void *args[] = {&a, &b};
  cudaLaunchCooperativeKernel((void *)gridOk, dim3(4), dim3(64), args, 0, 0);
  cudaLaunchCooperativeKernel((void *)gridBad, dim3(4), dim3(64), args, 0, 0);
  cudaDeviceSynchronize();
  groupBarrierBad<<<1, 64>>>(b, 40);
  cudaDeviceSynchronize();
  cudaFree(a); cudaFree(b);
}
// PRINTS: sum 2061
