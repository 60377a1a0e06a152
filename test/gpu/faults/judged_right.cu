// A matrix product, in place of nothing: judged on the device without being timed.
// GPU: k grid=32x32 block=16x16 args=a:f32[512;256]:in,b:f32[256;512]:in,c:f32[512;512]:out,i32=512,i32=512,i32=256
// GPU-REFERENCE: matmul m=512 n=512 k=256 a=a b=b c=c
// GPU-EXPECT: ok
__global__ void k(const float *a, const float *b, float *c, int m, int n, int k) {
  int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || col >= n)
    return;
  float sum = 0;
  for (int i = 0; i < k; ++i)
    sum += a[row * k + i] * b[i * n + col];
  c[row * n + col] = sum;
}
