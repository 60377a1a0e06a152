// GPU: k grid=1 block=32 args=y:f32[32]:out
// GPU-LIMIT: seconds=10
// GPU-EXPECT: failure crash
__global__ void k(float *y) {
  y[threadIdx.x] = 1;
  __trap();
}
