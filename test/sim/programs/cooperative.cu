// A grid sized by the device's multiprocessors waits for all its blocks; arrays of one element a multiprocessor are large enough.
// PRINTS: good
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda_runtime.h>
namespace cg = cooperative_groups;

__global__ void phases(int *x, int n) {
  cg::grid_group grid = cg::this_grid();
  for (int i = grid.thread_rank(); i < n; i += grid.size()) x[i] = i;
  grid.sync();
  for (int i = grid.thread_rank(); i < n / 2; i += grid.size()) x[i] += x[n - 1 - i];
}
__global__ void visit(int *seen) {
  unsigned sm;
  asm("mov.u32 %0, %%smid;" : "=r"(sm));
  atomicOr(&seen[sm], 1);
}

int main() {
  int sms, each, n = 4096, *x, *seen, *h = new int[4096];
  cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, phases, 256, 0);
  cudaMalloc(&x, n * 4);
  cudaMalloc(&seen, sms * 4);
  cudaMemset(seen, 0, sms * 4);
  void *args[] = {&x, &n};
  if (cudaLaunchCooperativeKernel((void *)phases, dim3(sms * each), dim3(256), args, 0, 0) != cudaSuccess) return 1;
  visit<<<300, 32>>>(seen);
  if (cudaDeviceSynchronize() != cudaSuccess) return 2;
  cudaMemcpy(h, x, n * 4, cudaMemcpyDeviceToHost);
  for (int i = 0; i < n / 2; ++i)
    if (h[i] != n - 1) return 3;
  puts("good");
  delete[] h;
  cudaFree(x);
  cudaFree(seen);
  return 0;
}
