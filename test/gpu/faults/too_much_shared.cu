// GPU: k grid=1 block=32 shared=900000 args=y:f32[32]:out
// GPU-EXPECT: failure launch_config
__global__ void k(float *y) {
  extern __shared__ float s[];
  s[threadIdx.x] = 1;
  y[threadIdx.x] = s[threadIdx.x];
}
