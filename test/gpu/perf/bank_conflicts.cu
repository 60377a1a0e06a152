// A column of shared memory a warp.
// GPU: t grid=128x128 block=32x32 args=x:f32[4096;4096]:in,y:f32[4096;4096]:out,i32=4096
// GPU-REFERENCE: transpose rows=4096 cols=4096 x=x y=y
// GPU-PERF: runs=20
// GPU-COUNTERS
// GPU-EXPECT: label bank_conflict
__global__ void t(const float *x, float *y, int n) {
  __shared__ float s[32][32];
  s[threadIdx.y][threadIdx.x] = x[size_t(blockIdx.y * 32 + threadIdx.y) * n + blockIdx.x * 32 + threadIdx.x];
  __syncthreads();
  y[size_t(blockIdx.x * 32 + threadIdx.y) * n + blockIdx.y * 32 + threadIdx.x] = s[threadIdx.x][threadIdx.y];
}
