// GPU: k grid=1 block=64 args=y:f32[64]:out
// GPU-EXPECT: tag out_of_bounds_global
__global__ void k(float *y) { y[int(threadIdx.x) - 1] = 1; }
