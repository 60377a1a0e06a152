// Warp intrinsics of all kinds.
#include <cuda_runtime.h>
#include <cstdio>
__global__ void shuffleOk(int *o) {
  int v = threadIdx.x;
  v += __shfl_xor_sync(~0u, v, 16); v += __shfl_xor_sync(~0u, v, 8); v += __shfl_xor_sync(~0u, v, 4);
  v += __shfl_xor_sync(~0u, v, 2); v += __shfl_xor_sync(~0u, v, 1);
  o[threadIdx.x] = v;
}
__global__ void shuffleTailBad(int *o, int n) {
  if (threadIdx.x >= n) return;
  int v = threadIdx.x;
  v += __shfl_down_sync(~0u, v, 1); //~ warp_lane_absent
  o[threadIdx.x] = v;
}
__global__ void shuffleTailOk(int *o, int n) {
  unsigned m = __ballot_sync(~0u, threadIdx.x < n);
  if (threadIdx.x >= n) return;
  int v = __shfl_up_sync(m, int(threadIdx.x), 1);
  o[threadIdx.x] = v;
}
__global__ void votesOk(int *o, int n) {
  int all = __all_sync(~0u, threadIdx.x < n), any = __any_sync(~0u, threadIdx.x < n);
  unsigned m = __match_any_sync(~0u, threadIdx.x / 4);
  int p; unsigned k = __match_all_sync(~0u, 5, &p);
  o[threadIdx.x] = all + any + __popc(m) + p + __popc(k) + __reduce_add_sync(~0u, 1u) + __reduce_max_sync(~0u, int(threadIdx.x));
}
__global__ void activeMaskBad(int *o, int n) {
  if (threadIdx.x & 1)
    o[threadIdx.x] = __ballot_sync(~0u, 1); //~? warp_lane_absent
  else
    __syncwarp(); //~ warp_lane_absent
}
__global__ void activeMaskOk(int *o) {
  if (threadIdx.x & 1)
    o[threadIdx.x] = __ballot_sync(__activemask(), 1);
}
__global__ void warpSharedBad(int *o) {
  __shared__ int s[64];
  s[threadIdx.x] = threadIdx.x; //~ race_shared
  o[threadIdx.x] = s[threadIdx.x ^ 1]; //~ uninitialised_read race_shared
}
__global__ void warpSharedOk(int *o) {
  __shared__ int s[64];
  s[threadIdx.x] = threadIdx.x;
  __syncwarp();
  o[threadIdx.x] = s[threadIdx.x ^ 1];
}
__global__ void maskedSyncBad(int *o) {
  __shared__ int s[32];
  s[threadIdx.x] = threadIdx.x; //~ race_shared
  __syncwarp(threadIdx.x < 16 ? 0xffffu : 0xffff0000u);
  o[threadIdx.x] = s[31 - threadIdx.x]; //~ uninitialised_read
}
__global__ void maskedSyncOk(int *o) {
  __shared__ int s[32];
  s[threadIdx.x] = threadIdx.x;
  __syncwarp(threadIdx.x < 16 ? 0xffffu : 0xffff0000u);
  o[threadIdx.x] = s[threadIdx.x ^ 7];
}
__global__ void selfOutsideBad(int *o) { o[threadIdx.x] = __any_sync(0xfffffffeu, 1); } //~ warp_lane_absent
int main() {
  int *o, h[32];
  cudaMalloc(&o, 256);
  shuffleOk<<<1, 32>>>(o);
  cudaMemcpy(h, o, 128, cudaMemcpyDeviceToHost);
  printf("%d\n", h[7]);
  votesOk<<<1, 32>>>(o, 20);
  cudaMemcpy(h, o, 128, cudaMemcpyDeviceToHost);
  printf("votes %d\n", h[7]);
  shuffleTailBad<<<1, 32>>>(o, 20);
  shuffleTailOk<<<1, 32>>>(o, 20);
  activeMaskBad<<<1, 32>>>(o, 20);
  activeMaskOk<<<1, 32>>>(o);
  warpSharedBad<<<1, 64>>>(o);
  warpSharedOk<<<1, 64>>>(o);
  maskedSyncBad<<<1, 32>>>(o);
  maskedSyncOk<<<1, 32>>>(o);
  selfOutsideBad<<<1, 32>>>(o);
  cudaDeviceSynchronize();
  cudaFree(o);
}
// PRINTS: 496
// PRINTS: votes 101
