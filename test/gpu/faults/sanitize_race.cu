// GPU: k grid=1 block=128 args=y:f32[128]:out
// GPU-SANITIZE: racecheck
// GPU-EXPECT: tag race_shared
__global__ void k(float *y) {
  __shared__ float s[128];
  s[threadIdx.x] = threadIdx.x;
  y[threadIdx.x] = s[127 - threadIdx.x];
}
