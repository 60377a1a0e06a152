// 32x32 tiles through shared memory.
// GPU: mm grid=64x64 block=32x32 args=a:f32[2048;2048]:in,b:f32[2048;2048]:in,c:f32[2048;2048]:out,i32=2048
// GPU-REFERENCE: matmul m=2048 n=2048 k=2048 a=a b=b c=c
// GPU-PERF: runs=20
// GPU-COUNTERS
// GPU-EXPECT: ok
__global__ void mm(const float *a, const float *b, float *c, int n) {
  __shared__ float sa[32][32], sb[32][32];
  int x = threadIdx.x, y = threadIdx.y, col = blockIdx.x * 32 + x, row = blockIdx.y * 32 + y;
  float sum = 0;
  for (int k = 0; k < n; k += 32) {
    sa[y][x] = a[row * n + k + x];
    sb[y][x] = b[(k + y) * n + col];
    __syncthreads();
    for (int i = 0; i < 32; ++i)
      sum += sa[y][i] * sb[i][x];
    __syncthreads();
  }
  c[row * n + col] = sum;
}
