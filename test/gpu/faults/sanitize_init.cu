// GPU: k grid=1 block=64 args=s:f32[64]:scratch:none,y:f32[64]:out
// GPU-SANITIZE: initcheck
// GPU-EXPECT: tag uninitialised_read
__global__ void k(const float *s, float *y) { y[threadIdx.x] = s[threadIdx.x] * 0.0f + 1; }
