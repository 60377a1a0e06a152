// Shared memory lets one block of four warps into a multiprocessor.
// GPU: k grid=8192 block=128 shared=180000 args=x:f32[1048576]:in,y:f32[1048576]:out,i32=1048576
// GPU-REFERENCE: copy n=1048576 x=x y=y
// GPU-PERF: runs=20
// GPU-COUNTERS
// GPU-EXPECT: label occupancy_limit
__global__ void k(const float *x, float *y, int n) {
  extern __shared__ float s[];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x] = x[i];
  y[i] = s[threadIdx.x];
}
