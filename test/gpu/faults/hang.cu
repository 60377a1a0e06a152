// GPU: k grid=1 block=32 args=y:f32[32]:out
// GPU-LIMIT: seconds=0.5
// GPU-EXPECT: failure timeout
__global__ void k(float *y) {
  volatile float *p = y;
  while (p[31] != 42.0f) {
  }
}
