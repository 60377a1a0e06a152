// Written past the end of the buffer, into the red zone behind it.
// GPU: k grid=1 block=64 args=y:f32[60]:out
// GPU-EXPECT: tag out_of_bounds_global
__global__ void k(float *y) { y[threadIdx.x] = 1; }
