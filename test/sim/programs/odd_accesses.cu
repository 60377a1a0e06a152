// Numbers that overflow, bitfields of bytes, structs with padding, unions, async copies in stages.
#include <cuda_runtime.h>
#include <cuda_pipeline.h>
struct Padded { char tag; double value; };
__global__ void paddedOk(const Padded *in, Padded *out) { out[threadIdx.x] = in[threadIdx.x]; }
union Bits { float f; unsigned u; };
__global__ void unionOk(float *o) { Bits b; b.u = 0x3f800000u + threadIdx.x; o[threadIdx.x] = b.f; }
__global__ void intOverflowBad(float *o, int n, int stride) {
  int at = threadIdx.x * stride; // 64 * 2^26
  o[at % n] = 1; //~ out_of_bounds_global
}
__global__ void intOverflowOk(float *o, int n, int stride) {
  long long at = (long long)threadIdx.x * stride;
  o[at % n] = 1; // all write the same value
}
__global__ void stagesOk(const float *in, float *out, int tiles) {
  __shared__ float s[2][64];
  __pipeline_memcpy_async(&s[0][threadIdx.x], in + threadIdx.x, 4);
  __pipeline_commit();
  for (int t = 0; t < tiles; ++t) {
    if (t + 1 < tiles) __pipeline_memcpy_async(&s[(t + 1) & 1][threadIdx.x], in + (t + 1) * 64 + threadIdx.x, 4);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    out[t * 64 + threadIdx.x] = s[t & 1][63 - threadIdx.x];
    __syncthreads();
  }
}
__global__ void stagesBad(const float *in, float *out, int tiles) {
  __shared__ float s[2][64];
  __pipeline_memcpy_async(&s[0][threadIdx.x], in + threadIdx.x, 4);
  __pipeline_commit();
  for (int t = 0; t < tiles; ++t) {
    if (t + 1 < tiles) {
      __pipeline_memcpy_async(&s[(t + 1) & 1][threadIdx.x], in + (t + 1) * 64 + threadIdx.x, 4);
      __pipeline_commit();
    }
    __pipeline_wait_prior(1); // the last round's copy is still under way
    __syncthreads();
    out[t * 64 + threadIdx.x] = s[t & 1][63 - threadIdx.x]; //~ uninitialised_read
    __syncthreads();
  }
}
__global__ void float2Bad(const float *in, float *out, int off) {
  float2 v = *reinterpret_cast<const float2 *>(in + off + 2 * threadIdx.x); //~ misaligned_access
  out[threadIdx.x] = v.x;
}
__global__ void float2Ok(const float *in, float *out, int off) {
  float2 v = *reinterpret_cast<const float2 *>(in + off + 2 * threadIdx.x);
  out[threadIdx.x] = v.x;
}
__global__ void overlapBad(float *p, int n) { // shifts in place
  int i = threadIdx.x;
  if (i + 1 < n) p[i] = p[i + 1] + 1; //~ race_global
}
__global__ void overlapOk(float *p, int n) {
  int i = threadIdx.x;
  float v = i + 1 < n ? p[i + 1] : 0;
  __syncthreads();
  if (i < n) p[i] = v;
}
__global__ void nullBad(float *p, float *maybe) { if (maybe == nullptr) maybe[threadIdx.x] = p[0]; } //~ null_access
__global__ void nullOk(float *p, float *maybe) { if (maybe) maybe[threadIdx.x] = p[0]; }
__global__ void copyWholeOk(const int4 *in, int4 *out, int n) { for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = __ldg(in + i); }
__global__ void memcpyBad(char *out, const char *in) { memcpy(out + threadIdx.x * 20, in, 20); } //~ out_of_bounds_global
__global__ void memcpyOk(char *out, const char *in) { memcpy(out + threadIdx.x * 16, in, 16); }
int main() {
  float *a, *b;
  cudaMalloc(&a, 1024); cudaMalloc(&b, 1024);
  cudaMemset(a, 0, 1024); cudaMemset(b, 0, 1024);
  paddedOk<<<1, 64>>>((Padded *)a, (Padded *)b);
  unionOk<<<1, 64>>>(b);
  intOverflowBad<<<1, 64>>>(b, 256, (1 << 26) + 1);
  intOverflowOk<<<1, 64>>>(b, 256, (1 << 26) + 1);
  stagesOk<<<1, 64>>>(a, b, 4);
  stagesBad<<<1, 64>>>(a, b, 4);
  float2Bad<<<1, 32>>>(a, b, 1);
  float2Ok<<<1, 32>>>(a, b, 2);
  overlapBad<<<1, 64>>>(b, 64);
  overlapOk<<<1, 64>>>(b, 64);
  nullBad<<<1, 32>>>(a, nullptr);
  nullOk<<<1, 32>>>(a, nullptr);
  copyWholeOk<<<1, 32>>>((int4 *)a, (int4 *)b, 64);
  memcpyOk<<<1, 64>>>((char *)b, (char *)a);
  memcpyBad<<<1, 64>>>((char *)b, (char *)a);
  cudaDeviceSynchronize();
  cudaFree(a); cudaFree(b);
}
