// A right kernel: nothing is found.
// GPU: scale grid=5 block=256 args=x:f32[1027]:in,y:f32[1027]:out,i32=1027
// GPU-EXPECT: ok
__global__ void scale(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = 2 * x[i];
}
