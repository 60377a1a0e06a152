// The last elements are computed from what lies behind the input: a mistake, no cheat.
// GPU: k grid=1 block=256 args=x:f32[250]:in,y:f32[256]:out
// GPU-EXPECT: tag out_of_bounds_global
__global__ void k(const float *x, float *y) { y[threadIdx.x] = x[threadIdx.x]; }
