// GPU: k grid=1 block=64 args=x:f32[60]:in,y:f32[64]:out
// GPU-SANITIZE: memcheck
// GPU-EXPECT: tag out_of_bounds_global line 5
__global__ void k(const float *x, float *y) {
  y[threadIdx.x] = x[threadIdx.x]; }
