// A template instance, half precision, shared memory.
// GPU: twice<__half> grid=3 block=256 shared=512 args=x:f16[600]:in,y:f16[600]:out,i32=600
// GPU-EXPECT: ok
#include <cuda_fp16.h>
template <typename T> __global__ void twice(const T *x, T *y, int n) {
  extern __shared__ unsigned char raw[];
  T *s = reinterpret_cast<T *>(raw);
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x] = i < n ? x[i] : T(0.0f);
  __syncthreads();
  if (i < n)
    y[i] = s[threadIdx.x] + s[threadIdx.x];
}
