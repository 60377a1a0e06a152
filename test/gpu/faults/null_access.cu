// GPU: k grid=1 block=32 args=null,y:f32[32]:out
// GPU-EXPECT: failure illegal_address
__global__ void k(const float *x, float *y) { y[threadIdx.x] = x[threadIdx.x]; }
