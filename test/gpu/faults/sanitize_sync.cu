// GPU: k grid=1 block=64 args=y:f32[64]:out
// GPU-SANITIZE: synccheck
// GPU-EXPECT: tag barrier_divergence
__global__ void k(float *y) {
  if (threadIdx.x < 32 || y == nullptr)
    if (threadIdx.x % 2)
      __syncthreads();
  y[threadIdx.x] = 1;
}
