// A grid-stride sum with one atomic a block; the output starts as zero.
// GPU: clear grid=1 block=1 args=y:f32[1]:out
// GPU: sum grid=1056 block=256 args=x:f32[16777216]:in,y,i32=16777216
// GPU-REFERENCE: reduce_sum n=16777216 x=x y=y
// GPU-PERF: runs=20
// GPU-EXPECT: ok
__global__ void clear(float *y) { *y = 0; }
__global__ void sum(const float *x, float *y, int n) {
  float s = 0;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
    s += x[i];
  for (int d = 16; d; d /= 2)
    s += __shfl_down_sync(~0u, s, d);
  __shared__ float part[8];
  if (threadIdx.x % 32 == 0)
    part[threadIdx.x / 32] = s;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < 8; ++w)
      s += part[w];
    atomicAdd(y, s);
  }
}
