// GPU: k grid=1 block=16 args=x:f32[68]:in,y:f32[64]:out
// GPU-EXPECT: failure misaligned
__global__ void k(const float *x, float *y) { reinterpret_cast<float4 *>(y)[threadIdx.x] = *reinterpret_cast<const float4 *>(x + 4 * threadIdx.x + 1); }
