// The input is what makes the output right: only inputs made afresh can tell.
// GPU: k grid=4096 block=256 args=a:f32[1048576]:in,b:f32[1048576]:in,out:f32[1048576]:out,i32=1048576
// GPU-REFERENCE: tanh_add n=1048576 a=a b=b out=out
// GPU-EXPECT: judged input_mutated
// GPU-EXPECT: judged wrong_result
__global__ void k(float *a, float *b, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  a[i] = b[i] = 0;
  out[i] = 0;
}
