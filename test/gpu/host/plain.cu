// Host code that no launch plan follows and that does nothing but launch: its time is the kernel's.
// GPU-CALL: launch_relu args=x:f32[16777216]:in,y:f32[16777216]:out,i32=16777216
// GPU-REFERENCE: relu n=16777216 x=x y=y
// GPU-PERF: runs=30
// GPU-EXPECT: ok
#include <cuda_runtime.h>

__global__ void relu4_kernel(const float4 *__restrict__ x, float4 *__restrict__ y, const float *__restrict__ xs, float *__restrict__ ys, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / 4) {
    float4 v = x[i];
    y[i] = make_float4(fmaxf(v.x, 0.0f), fmaxf(v.y, 0.0f), fmaxf(v.z, 0.0f), fmaxf(v.w, 0.0f));
  }
  int tail = n / 4 * 4 + i;
  if (tail < n)
    ys[tail] = fmaxf(xs[tail], 0.0f);
}

void launch_relu(const float *x, float *y, int n) {
  if (n <= 0)
    return;
  int blocks = (n + 3) / 4 + 255;
  asm("sar $8, %0" : "+r"(blocks));
  relu4_kernel<<<blocks, 256>>>(reinterpret_cast<const float4 *>(x), reinterpret_cast<float4 *>(y), x, y, n);
}
