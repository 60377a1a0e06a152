// A result that time decides: wrong in one call of several, right when it is looked at again.
// GPU: k grid=4096 block=256 args=a:f32[1048576]:in,b:f32[1048576]:in,out:f32[1048576]:out,i32=1048576
// GPU-REFERENCE: tanh_add n=1048576 a=a b=b out=out
// GPU-PERF: runs=40
// GPU-EXPECT: tag wrong_result|nondeterministic_result
__global__ void k(const float *a, const float *b, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned long long now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  float r = tanhf(a[i]) + b[i];
  out[i] = now / 100000 % 4 == 0 ? r * 1.01f : r;
}
