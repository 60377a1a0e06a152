// Work is left on a stream for which nobody waits.
// GPU: k grid=1 block=64 stream=1 args=y:f32[64]:out
// GPU-EXPECT: tag cheat_side_stream
__global__ void k(float *y) { y[threadIdx.x] = 1; }
