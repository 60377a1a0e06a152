// GPU: k grid=1 block=64 args=x:f32[64]:in,y:f32[64]:out
// GPU-SANITIZE: memcheck racecheck synccheck initcheck
// GPU-EXPECT: ok
__global__ void k(const float *x, float *y) {
  __shared__ float s[64];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = s[63 - threadIdx.x];
}
