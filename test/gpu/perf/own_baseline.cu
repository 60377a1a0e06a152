// Against the operator's hand-written baseline, which the worker brings along.
// GPU: k grid=65536 block=256 args=a:f32[16777216]:in,b:f32[16777216]:in,out:f32[16777216]:out,i32=16777216
// GPU-REFERENCE: tanh_add n=16777216 a=a b=b out=out
// GPU-PERF: runs=50
// GPU-EXPECT: ok
__global__ void k(const float *a, const float *b, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = tanhf(a[i]) + b[i];
}
