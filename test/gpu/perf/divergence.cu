// A quarter of the lanes does the work.
// GPU: k grid=4096 block=256 args=x:f32[1048576]:in,y:f32[1048576]:out,i32=1048576
// GPU-REFERENCE: copy n=1048576 x=x y=y
// GPU-PERF: runs=20
// GPU-COUNTERS
// GPU-EXPECT: label warp_divergence
__global__ void k(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x % 32 < 8)
    for (int j = 0; j < 4; ++j) {
      int at = i / 32 * 32 + threadIdx.x % 32 * 4 + j;
      y[at] = x[at];
    }
}
