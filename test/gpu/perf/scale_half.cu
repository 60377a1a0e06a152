// Half precision, an attribute, the baseline of the operator.
// GPU: k grid=32768 block=256 args=x:f16[8388608]:in,y:f16[8388608]:out,f32=1.5,i32=8388608
// GPU-REFERENCE: scale n=8388608 x=x y=y
// GPU-PERF: runs=20
// GPU-EXPECT: ok
#include <cuda_fp16.h>
__global__ void k(const __half *x, __half *y, float f, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = __float2half(f * __half2float(x[i]));
}
