// GPU: k grid=1 block=32 args=x:f32[268435456]:out,y:f32[32]:out
// GPU-LIMIT: memory_mb=256
// GPU-EXPECT: failure out_of_memory
__global__ void k(float *x, float *y) { y[threadIdx.x] = x[0]; }
