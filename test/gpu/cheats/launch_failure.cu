// A launch that fails, so that nothing is there to be wrong.
// GPU: k grid=1 block=4096 args=out:f32[1000]:out
// GPU-EXPECT: failure launch_config
__global__ void k(float *out) { out[threadIdx.x] = 1; }
