// Looks for the right answer in the memory behind its output.
// GPU: k grid=4 block=256 args=a:f32[1000]:in,b:f32[1000]:in,out:f32[1000]:out,i32=1000
// GPU-EXPECT: tag cheat_reads_reference
__global__ void k(const float *a, const float *b, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = out[n + i % 500];
}
