// Pairs of a faulty kernel and its correct twin: shared memory in loops, buffers, halves and tiles.
#include <cuda_runtime.h>

// SIM: histogram_unzeroed grid=2 block=64 args=x:i32[128]:in,o:i32[16]:inout:zero
__global__ void histogram_unzeroed(const int *x, int *o) {
  __shared__ int h[16];
  atomicAdd(&h[x[blockIdx.x * 64 + threadIdx.x] & 15], 1); //~ uninitialised_read
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&o[threadIdx.x], h[threadIdx.x]); //~? uninitialised_read
}
// SIM-NEW
// SIM: histogram_early grid=2 block=64 args=x:i32[128]:in,o:i32[16]:inout:zero
__global__ void histogram_early(const int *x, int *o) {
  __shared__ int h[16];
  if (threadIdx.x < 16) h[threadIdx.x] = 0;
  atomicAdd(&h[x[blockIdx.x * 64 + threadIdx.x] & 15], 1); //~ race_shared
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&o[threadIdx.x], h[threadIdx.x]);
}
// SIM-NEW
// SIM: histogram_plain grid=2 block=64 args=x:i32[128]:in,o:i32[16]:inout:zero
__global__ void histogram_plain(const int *x, int *o) {
  __shared__ int h[16];
  if (threadIdx.x < 16) h[threadIdx.x] = 0;
  __syncthreads();
  h[x[blockIdx.x * 64 + threadIdx.x] & 15]++; //~ race_shared
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&o[threadIdx.x], h[threadIdx.x]);
}
// SIM-NEW
// SIM: histogram grid=2 block=64 args=x:i32[128]:in:one,o:i32[16]:inout:zero
// SIM-OUTPUT: o[1] = 128
__global__ void histogram(const int *x, int *o) {
  __shared__ int h[16];
  if (threadIdx.x < 16) h[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&h[x[blockIdx.x * 64 + threadIdx.x] & 15], 1);
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&o[threadIdx.x], h[threadIdx.x]);
}
// SIM-NEW
// SIM: scan_single grid=1 block=64 args=x:f32[64]:in,o:f32[64]:out
__global__ void scan_single(const float *x, float *o) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  for (int d = 1; d < 64; d *= 2) {
    if (t >= d) s[t] += s[t - d]; //~ race_shared
    __syncthreads();
  }
  o[t] = s[t];
}
// SIM-NEW
// SIM: scan_two grid=1 block=64 args=x:f32[64]:in:one,o:f32[64]:out
// SIM-OUTPUT: o[63] = 64
__global__ void scan_two(const float *x, float *o) {
  __shared__ float s[2][64];
  int t = threadIdx.x, from = 0;
  s[0][t] = x[t];
  __syncthreads();
  for (int d = 1; d < 64; d *= 2) {
    s[from ^ 1][t] = t >= d ? s[from][t] + s[from][t - d] : s[from][t];
    from ^= 1;
    __syncthreads();
  }
  o[t] = s[from][t];
}
// One barrier a round is enough with two buffers that take turns ...
// SIM-NEW
// SIM: buffers grid=1 block=64 args=x:f32[256]:in:one,o:f32[64]:out
// SIM-OUTPUT: o[5] = 4
__global__ void buffers(const float *x, float *o) {
  __shared__ float s[2][64];
  float v = 0;
  for (int i = 0; i < 4; ++i) {
    s[i & 1][threadIdx.x] = x[i * 64 + threadIdx.x];
    __syncthreads();
    v += s[i & 1][63 - threadIdx.x];
  }
  o[threadIdx.x] = v;
}
// ... and is not where one is written while others still read it.
// SIM-NEW
// SIM: buffers_wrong grid=1 block=64 args=x:f32[256]:in,o:f32[64]:out
__global__ void buffers_wrong(const float *x, float *o) {
  __shared__ float s[2][64];
  float v = 0;
  s[0][threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  for (int i = 0; i < 3; ++i) {
    s[(i + 1) & 1][threadIdx.x] = x[(i + 1) * 64 + threadIdx.x]; //~ race_shared
    v += s[i & 1][63 - threadIdx.x]; //~? race_shared uninitialised_read
  }
  o[threadIdx.x] = v;
}
// SIM-NEW
// SIM: last_warp grid=1 block=128 args=x:f32[128]:in:one,o:f32[1]:out
// SIM-OUTPUT: o[0] = 128
__global__ void last_warp(const float *x, float *o) {
  __shared__ float s[4];
  float v = x[threadIdx.x];
  for (int k = 16; k; k >>= 1) v += __shfl_down_sync(~0u, v, k);
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
  __syncthreads();
  if (threadIdx.x < 32) {
    v = threadIdx.x < 4 ? s[threadIdx.x] : 0;
    for (int k = 16; k; k >>= 1) v += __shfl_down_sync(~0u, v, k);
    if (threadIdx.x == 0) o[0] = v;
  }
}
// SIM-NEW
// SIM: last_warp_no_barrier grid=1 block=128 args=x:f32[128]:in,o:f32[1]:out
__global__ void last_warp_no_barrier(const float *x, float *o) {
  __shared__ float s[4];
  float v = x[threadIdx.x];
  for (int k = 16; k; k >>= 1) v += __shfl_down_sync(~0u, v, k);
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v; //~? race_shared
  if (threadIdx.x < 32) {
    v = threadIdx.x < 4 ? s[threadIdx.x] : 0; //~? race_shared uninitialised_read
    for (int k = 16; k; k >>= 1) v += __shfl_down_sync(~0u, v, k);
    if (threadIdx.x == 0) o[0] = v;
  }
}
// SIM-EXPECT: race_shared
// The result of a block's sum is read before the barrier of the next use.
// SIM-NEW
// SIM: sum_reused grid=1 block=64 args=x:f32[128]:in,o:f32[64]:out
__global__ void sum_reused(const float *x, float *o) {
  __shared__ float s;
  float r = 0;
  for (int i = 0; i < 2; ++i) {
    if (threadIdx.x == 0) s = x[i]; //~ race_shared
    __syncthreads();
    r += s;
  }
  o[threadIdx.x] = r;
}
// SIM-NEW
// SIM: sum_reused_right grid=1 block=64 args=x:f32[128]:in:one,o:f32[64]:out
// SIM-OUTPUT: o[63] = 2
__global__ void sum_reused_right(const float *x, float *o) {
  __shared__ float s;
  float r = 0;
  for (int i = 0; i < 2; ++i) {
    if (threadIdx.x == 0) s = x[i];
    __syncthreads();
    r += s;
    __syncthreads();
  }
  o[threadIdx.x] = r;
}
// SIM-NEW
// SIM: transpose_tile grid=2x2 block=16x16 args=x:f32[1024]:in,o:f32[1024]:out,i32=32
// SIM-OUTPUT: o[33] = 4.125
__global__ void transpose_tile(const float *x, float *o, int n) {
  __shared__ float t[16][17];
  t[threadIdx.y][threadIdx.x] = x[(blockIdx.y * 16 + threadIdx.y) * n + blockIdx.x * 16 + threadIdx.x];
  __syncthreads();
  o[(blockIdx.x * 16 + threadIdx.y) * n + blockIdx.y * 16 + threadIdx.x] = t[threadIdx.x][threadIdx.y];
}
// SIM-NEW
// SIM: transpose_in_place grid=2x2 block=16x16 args=x:f32[1024]:inout,i32=32
__global__ void transpose_in_place(float *x, int n) {
  int i = blockIdx.y * 16 + threadIdx.y, j = blockIdx.x * 16 + threadIdx.x;
  float v = x[i * n + j]; //~? race_global race_blocks
  x[j * n + i] = v;       //~? race_global race_blocks
}
// SIM-EXPECT: race_blocks
// Two arrays in dynamic shared memory: doubles behind an odd number of floats.
// SIM-NEW
// SIM: carved_odd grid=1 block=32 shared=400 args=o:f64[32]:out,i32=33
__global__ void carved_odd(double *o, int n) {
  extern __shared__ float f[];
  double *d = (double *)(f + n);
  d[threadIdx.x] = threadIdx.x; //~ misaligned_access
  o[threadIdx.x] = 1;
}
// SIM-NEW
// SIM: carved grid=1 block=32 shared=392 args=o:f64[32]:out,i32=34
__global__ void carved(double *o, int n) {
  extern __shared__ float f[];
  double *d = (double *)(f + n);
  d[threadIdx.x] = threadIdx.x;
  __syncwarp();
  o[threadIdx.x] = d[31 - threadIdx.x];
}
// SIM-NEW
// SIM: carved_small grid=1 block=32 shared=256 args=o:f64[32]:out,i32=34
__global__ void carved_small(double *o, int n) {
  extern __shared__ float f[];
  double *d = (double *)(f + n);
  d[threadIdx.x] = threadIdx.x; //~ out_of_bounds_shared
  o[threadIdx.x] = 1;
}
// "if (t == 0) n = 0;" and then everybody adds: thread 0's own addition does not hide its plain write.
// SIM-NEW
// SIM: counter_unfenced grid=1 block=64 args=o:i32[1]:out
__global__ void counter_unfenced(int *o) {
  __shared__ int n;
  if (threadIdx.x == 0) n = 0;
  atomicAdd(&n, 1); //~ race_shared
  __syncthreads();
  if (threadIdx.x == 0) o[0] = n;
}
// SIM-NEW
// SIM: counter_fenced grid=1 block=64 args=o:i32[1]:out
// SIM-OUTPUT: o[0] = 64
__global__ void counter_fenced(int *o) {
  __shared__ int n;
  if (threadIdx.x == 0) n = 0;
  __syncthreads();
  atomicAdd(&n, 1);
  __syncthreads();
  if (threadIdx.x == 0) o[0] = n;
}
// A copy of a structure with a hole.
struct Item { short key; int value; };
// SIM-NEW
// SIM: items grid=1 block=32 args=o:i32[32]:out
__global__ void items(int *o) {
  __shared__ Item s[32];
  s[threadIdx.x].key = threadIdx.x;
  s[threadIdx.x].value = 2 * threadIdx.x;
  __syncthreads();
  Item i = s[31 - threadIdx.x];
  o[threadIdx.x] = i.key + i.value;
}
// A window of planes that moves on: in the first rounds it copies what nobody has written, and nobody uses it.
// SIM-NEW
// SIM: window grid=1 block=32 args=x:f32[128]:in:one,o:f32[128]:out
// SIM-OUTPUT: o[40] = 3
__global__ void window(const float *x, float *o) {
  __shared__ float s[3][32];
  int t = threadIdx.x;
  s[2][t] = x[t];
  for (int k = 0; k < 4; ++k) {
    s[0][t] = s[1][t];
    s[1][t] = s[2][t];
    if (k < 3) s[2][t] = x[(k + 1) * 32 + t];
    __syncthreads();
    float v = s[1][31 - t];
    if (k > 0) v += s[0][31 - t];
    if (k < 3) v += s[2][31 - t];
    __syncthreads();
    o[k * 32 + t] = v;
  }
}
// SIM-NEW
// SIM: window_used grid=1 block=32 args=x:f32[128]:in:one,o:f32[128]:out
__global__ void window_used(const float *x, float *o) {
  __shared__ float s[3][32];
  int t = threadIdx.x;
  s[2][t] = x[t];
  for (int k = 0; k < 3; ++k) {
    s[0][t] = s[1][t];
    s[1][t] = s[2][t];
    s[2][t] = x[(k + 1) * 32 + t];
    __syncthreads();
    float v = s[1][31 - t] + s[0][31 - t] + s[2][31 - t]; //~ uninitialised_read
    __syncthreads();
    o[k * 32 + t] = v;
  }
}
