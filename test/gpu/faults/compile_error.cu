// GPU: k grid=1 block=32 args=y:f32[32]:out
// GPU-EXPECT: failure compile_error
__global__ void k(float *y) { y[threadIdx.x] = missing; }
