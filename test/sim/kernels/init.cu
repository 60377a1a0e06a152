// Reads of what nobody has written.
#include <cuda_runtime.h>

// SIM: unwritten_global grid=1 block=32 args=a:f32[32]:in:none,o:f32[32]:out
__global__ void unwritten_global(const float *a, float *o) {
  o[threadIdx.x] = a[threadIdx.x]; //~ uninitialised_read
}
// SIM-NEW
// SIM: unwritten_shared grid=1 block=64 args=o:f32[64]:out
__global__ void unwritten_shared(float *o) {
  __shared__ float s[64];
  if (threadIdx.x < 63) s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  o[threadIdx.x] = s[threadIdx.x]; //~ uninitialised_read
}
// SIM-NEW
// SIM: partial_local grid=1 block=32 args=a:i32[32]:in,o:i32[32]:out
__global__ void partial_local(const int *a, int *o) {
  int t[8];
  for (int i = 0; i < 7; ++i) t[i] = i;
  o[threadIdx.x] = t[a[threadIdx.x] & 7]; //~ uninitialised_read
}
struct Padded { char c; double d; };
// SIM-NEW
// SIM: padding grid=1 block=4 args=o:f64[16]:out
__global__ void padding(Padded *o) {
  Padded p;
  p.c = 1;
  p.d = threadIdx.x;
  o[threadIdx.x] = p;
}
// SIM-NEW
// SIM: guarded grid=1 block=64 args=a:f32[64]:in,o:f32[64]:out
__global__ void guarded(const float *a, float *o) {
  __shared__ float part[2];
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = a[threadIdx.x];
  __syncthreads();
  float m = threadIdx.x < 2 ? part[threadIdx.x] : 0.0f;
  o[threadIdx.x] = m;
}
