// A block a row.
// GPU: softmax grid=8192 block=256 args=x:f32[8192;2048]:in,y:f32[8192;2048]:out,i32=2048
// GPU-REFERENCE: softmax rows=8192 cols=2048 x=x y=y
// GPU-PERF: runs=20
// GPU-EXPECT: ok
__global__ void softmax(const float *x, float *y, int cols) {
  __shared__ float part[8];
  x += size_t(blockIdx.x) * cols;
  y += size_t(blockIdx.x) * cols;
  auto all = [&](float v, bool larger) {
    for (int d = 16; d; d /= 2) {
      float o = __shfl_xor_sync(~0u, v, d);
      v = larger ? fmaxf(v, o) : v + o;
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0)
      part[threadIdx.x / 32] = v;
    __syncthreads();
    v = part[0];
    for (int w = 1; w < 8; ++w)
      v = larger ? fmaxf(v, part[w]) : v + part[w];
    return v;
  };
  float m = -INFINITY, s = 0;
  for (int i = threadIdx.x; i < cols; i += 256)
    m = fmaxf(m, x[i]);
  m = all(m, true);
  for (int i = threadIdx.x; i < cols; i += 256)
    s += expf(x[i] - m);
  s = all(s, false);
  for (int i = threadIdx.x; i < cols; i += 256)
    y[i] = expf(x[i] - m) / s;
}
