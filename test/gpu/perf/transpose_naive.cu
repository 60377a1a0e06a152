// Strided stores.
// GPU: t grid=128x128 block=32x32 args=x:f32[4096;4096]:in,y:f32[4096;4096]:out,i32=4096
// GPU-REFERENCE: transpose rows=4096 cols=4096 x=x y=y
// GPU-PERF: runs=20
// GPU-COUNTERS
// GPU-EXPECT: label uncoalesced
__global__ void t(const float *x, float *y, int n) {
  int c = blockIdx.x * 32 + threadIdx.x, r = blockIdx.y * 32 + threadIdx.y;
  y[size_t(c) * n + r] = x[size_t(r) * n + c];
}
