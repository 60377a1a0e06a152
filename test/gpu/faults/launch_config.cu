// GPU: k grid=1 block=2048 args=y:f32[32]:out
// GPU-EXPECT: failure launch_config
__global__ void k(float *y) { y[threadIdx.x % 32] = 1; }
