// NaN, in the hope that it compares as equal.
// GPU: k grid=4096 block=256 args=a:f32[1048576]:in,b:f32[1048576]:in,out:f32[1048576]:out,i32=1048576
// GPU-REFERENCE: tanh_add n=1048576 a=a b=b out=out
// GPU-PERF: runs=20 baseline=tanh_add4_small.cu
// GPU-EXPECT: tag nan_inf
__global__ void k(const float *a, const float *b, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = __int_as_float(0x7fc00000);
}
