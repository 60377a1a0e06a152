// Dynamic shared memory, cross-warp reuse, vector types.
#include <cuda_runtime.h>
extern __shared__ char raw[];
__global__ void carveOk(const float4 *in, float *out, int n) {
  float4 *v = reinterpret_cast<float4 *>(raw);
  float *s = reinterpret_cast<float *>(raw + n * sizeof(float4));
  v[threadIdx.x] = in[threadIdx.x];
  s[threadIdx.x] = 1;
  __syncthreads();
  float4 x = v[n - 1 - threadIdx.x];
  out[threadIdx.x] = x.x + x.w + s[n - 1 - threadIdx.x];
}
__global__ void carveBad(const float4 *in, float *out, int n) {
  float4 *v = reinterpret_cast<float4 *>(raw);
  float *s = reinterpret_cast<float *>(raw + n * sizeof(float4));
  v[threadIdx.x] = in[threadIdx.x];
  s[threadIdx.x] = 1; //~ out_of_bounds_shared
  __syncthreads();
  out[threadIdx.x] = v[n - 1 - threadIdx.x].y;
}
__global__ void misalignBad(float *out, int n) {
  float *s = reinterpret_cast<float *>(raw);
  for (int i = threadIdx.x; i < n + 4; i += blockDim.x) s[i] = i;
  __syncthreads();
  float4 x = *reinterpret_cast<float4 *>(s + 1); //~ misaligned_access
  out[threadIdx.x] = x.x;
}
__global__ void misalignOk(float *out, int n) {
  float *s = reinterpret_cast<float *>(raw);
  for (int i = threadIdx.x; i < n + 4; i += blockDim.x) s[i] = i;
  __syncthreads();
  float4 x = *reinterpret_cast<float4 *>(s + 4);
  out[threadIdx.x] = x.x;
}
__global__ void reduceBad(const float *in, float *out, int rows) {
  __shared__ float w[8];
  for (int r = 0; r < rows; ++r) {
    float v = in[threadIdx.x];
    for (int d = 16; d; d /= 2) v += __shfl_down_sync(~0u, v, d);
    if (threadIdx.x % 32 == 0) w[threadIdx.x / 32] = v;
    __syncthreads();
    float t = 0;
    for (int i = 0; i < 8; ++i) t += w[i]; //~? race_shared
    if (threadIdx.x == 0) out[r] = t;
  }
}
__global__ void reduceOk(const float *in, float *out, int rows) {
  __shared__ float w[2][8];
  for (int r = 0; r < rows; ++r) { // two buffers: one barrier a round is enough
    float v = in[threadIdx.x];
    for (int d = 16; d; d /= 2) v += __shfl_down_sync(~0u, v, d);
    if (threadIdx.x % 32 == 0) w[r & 1][threadIdx.x / 32] = v;
    __syncthreads();
    float t = 0;
    for (int i = 0; i < 8; ++i) t += w[r & 1][i];
    if (threadIdx.x == 0) out[r] = t;
  }
}
__global__ void uninitBad(float *out) {
  __shared__ float s[256];
  if (threadIdx.x < 128) s[threadIdx.x] = 1;
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x]; //~ uninitialised_read
}
__global__ void uninitOk(float *out) {
  __shared__ float s[256];
  if (threadIdx.x < 128) s[threadIdx.x] = 1;
  else s[threadIdx.x] = 0;
  __syncthreads();
  out[threadIdx.x] = s[255 - threadIdx.x];
}
__global__ void uchar4Ok(const uchar4 *in, uchar4 *out) {
  __shared__ unsigned char s[4][64];
  uchar4 v = in[threadIdx.x];
  s[0][threadIdx.x] = v.x; s[1][threadIdx.x] = v.y; s[2][threadIdx.x] = v.z; s[3][threadIdx.x] = v.w;
  __syncthreads();
  int t = 63 - threadIdx.x;
  out[threadIdx.x] = make_uchar4(s[3][t], s[2][t], s[1][t], s[0][t]);
}
__global__ void charsBad(unsigned char *out) {
  __shared__ unsigned char s[65];
  s[threadIdx.x] = 1; //~ race_shared
  s[threadIdx.x + 1] = 2; //~? race_shared
  __syncthreads();
  out[threadIdx.x] = s[threadIdx.x];
}
int main() {
  float *a, *b;
  cudaMalloc(&a, 8192); cudaMalloc(&b, 8192); cudaMemset(a, 0, 8192);
  carveOk<<<1, 64, 64 * 20>>>((float4 *)a, b, 64);
  carveBad<<<1, 64, 64 * 16>>>((float4 *)a, b, 64);
  misalignBad<<<1, 64, 1024>>>(b, 64);
  misalignOk<<<1, 64, 1024>>>(b, 64);
  reduceBad<<<1, 256>>>(a, b, 4);
  reduceOk<<<1, 256>>>(a, b, 4);
  uninitBad<<<1, 256>>>(b);
  uninitOk<<<1, 256>>>(b);
  uchar4Ok<<<1, 64>>>((uchar4 *)a, (uchar4 *)b);
  charsBad<<<1, 64>>>((unsigned char *)b);
  cudaDeviceSynchronize();
  cudaFree(a); cudaFree(b);
}
