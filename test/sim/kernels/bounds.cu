// Accesses outside of what exists, one kernel a fault.
#include <cuda_runtime.h>

// SIM: good grid=4 block=64 args=a:f32[256]:in,o:f32[256]:out,i32=256
// SIM-OUTPUT: o[9] = 2.25
__global__ void good(const float *a, float *o, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) o[i] = 2 * a[i];
}
// SIM-NEW
// SIM: past_end grid=4 block=64 args=a:f32[250]:in,o:f32[250]:out
__global__ void past_end(const float *a, float *o) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = a[i]; //~ out_of_bounds_global
  o[i] = v;       //~ out_of_bounds_global
}
// SIM-NEW
// SIM: shared_past grid=1 block=64 args=o:f32[64]:out
__global__ void shared_past(float *o) {
  __shared__ float s[64];
  __shared__ float t[64];
  t[threadIdx.x] = 0;
  s[threadIdx.x + 1] = threadIdx.x; //~ out_of_bounds_shared
  __syncthreads();
  o[threadIdx.x] = threadIdx.x ? s[threadIdx.x] : t[0];
}
// SIM-NEW
// SIM: dynamic_small grid=1 block=64 shared=128 args=o:f32[64]:out
__global__ void dynamic_small(float *o) {
  extern __shared__ float d[];
  d[threadIdx.x] = 1; //~ out_of_bounds_shared
  o[threadIdx.x] = 1;
}
// SIM-NEW
// SIM: local_past grid=1 block=32 args=a:i32[32]:in,o:i32[32]:out
__global__ void local_past(const int *a, int *o) {
  int t[8];
  for (int i = 0; i < 8; ++i) t[i] = a[(i + threadIdx.x) & 31];
  o[threadIdx.x] = t[a[threadIdx.x] & 15]; //~ out_of_bounds_local
}
__constant__ int table[4] = {1, 2, 3, 4};
// SIM-NEW
// SIM: constant_past grid=1 block=8 args=o:i32[8]:out
__global__ void constant_past(int *o) {
  o[threadIdx.x] = table[threadIdx.x]; //~ out_of_bounds_constant
}
// SIM-NEW
// SIM: null_read grid=1 block=1 args=null,o:i32[1]:out
__global__ void null_read(const int *a, int *o) {
  o[0] = a[0]; //~ null_access
}
// SIM-NEW
// SIM: touch grid=1 block=1 args=x:i32[4]:inout
// SIM: free x
// SIM: touch grid=1 block=1 args=x
__global__ void touch(int *x) {
  x[1] = 3; //~ use_after_free
}
// SIM-NEW
// SIM: misaligned grid=1 block=4 args=a:f32[64]:in,o:f32[64]:out
__global__ void misaligned(const float *a, float *o) {
  float4 v = *(const float4 *)(a + threadIdx.x * 4 + 1); //~ misaligned_access
  o[threadIdx.x] = v.x + v.y + v.z + v.w;
}
// SIM-NEW
// SIM: bytes grid=2 block=32 args=a:u8[61]:in,o:u8[61]:out,i32=61
__global__ void bytes(const unsigned char *a, unsigned char *o, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) o[i] = a[i] + 1;
}
// SIM-NEW
// SIM: more_than_any_access grid=1 block=32 args=o:f32[64]:out
struct alignas(32) Wide {
  float x[4];
};
__global__ void more_than_any_access(float *o) {
  auto *w = reinterpret_cast<Wide *>(o + 4); // 16 bytes in: no load or store is wider
  if (threadIdx.x == 0)
    w->x[0] = 1;
#if __CUDACC_VER_MAJOR__ < 11
  o[64] = 1; // nvcc says its version
#endif
}
