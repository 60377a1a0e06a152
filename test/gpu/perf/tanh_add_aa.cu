// The baseline against itself.
// GPU: k grid=16384 block=256 args=a:f32[16777216]:in,b:f32[16777216]:in,out:f32[16777216]:out,i32=16777216
// GPU-REFERENCE: tanh_add n=16777216 a=a b=b out=out
// GPU-PERF: runs=50 baseline=tanh_add4.cu
// GPU-EXPECT: ok
__global__ void k(const float *a, const float *b, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 4)
    return;
  float4 u = reinterpret_cast<const float4 *>(a)[i], v = reinterpret_cast<const float4 *>(b)[i];
  reinterpret_cast<float4 *>(out)[i] = make_float4(tanhf(u.x) + v.x, tanhf(u.y) + v.y, tanhf(u.z) + v.z, tanhf(u.w) + v.w);
}
