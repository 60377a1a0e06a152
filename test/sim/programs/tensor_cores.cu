// Tensor cores through wmma: a tile that lies inside its buffer, one that does not, an odd leading dimension.
#include <cuda_fp16.h>
#include <mma.h>
#include <cstdio>
using namespace nvcuda;
__global__ void gemmOk(const half *a, const half *b, float *c, int n) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 0.0f);
  for (int k = 0; k < n; k += 16) {
    wmma::load_matrix_sync(fa, a + blockIdx.y * 16 * n + k, n);
    wmma::load_matrix_sync(fb, b + blockIdx.x * 16 * n + k, n);
    wmma::mma_sync(fc, fa, fb, fc);
  }
  wmma::store_matrix_sync(c + blockIdx.y * 16 * n + blockIdx.x * 16, fc, n, wmma::mem_row_major);
}
__global__ void gemmPastBad(const half *a, float *c, int n) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 0.0f);
  wmma::load_matrix_sync(fa, a + (blockIdx.x + 1) * 16 * n, n); //~ out_of_bounds_global
  wmma::load_matrix_sync(fb, a, n);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(c + blockIdx.x * 16 * n, fc, n, wmma::mem_row_major);
}
__global__ void sharedStageOk(const half *a, float *c) {
  __shared__ half s[256];
  __shared__ float t[256];
  for (int i = threadIdx.x; i < 256; i += 32) s[i] = a[i];
  __syncwarp();
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 0.0f);
  wmma::load_matrix_sync(fa, s, 16);
  wmma::load_matrix_sync(fb, s, 16);
  wmma::mma_sync(fc, fa, fb, fc);
  for (int i = 0; i < fc.num_elements; ++i) fc.x[i] *= 2;
  wmma::store_matrix_sync(t, fc, 16, wmma::mem_row_major);
  __syncwarp();
  for (int i = threadIdx.x; i < 256; i += 32) c[i] = t[i];
}
__global__ void sharedStageBad(const half *a, float *c) {
  __shared__ half s[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) s[i] = a[i];
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 0.0f);
  wmma::load_matrix_sync(fa, s, 16); //~ race_shared
  wmma::load_matrix_sync(fb, s, 16); //~? race_shared
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(c + threadIdx.x / 32 * 256, fc, 16, wmma::mem_row_major);
}
__global__ void halfWarpBad(const half *a, float *c) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 0.0f);
  if (threadIdx.x < 16)
    wmma::load_matrix_sync(fa, a, 16); //~ warp_lane_absent
  wmma::load_matrix_sync(fb, a, 16); //~? warp_lane_absent uninitialised_read
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}
int main() {
  const int n = 32;
  half h[n * n]; float r[n * n];
  for (int i = 0; i < n * n; ++i) h[i] = __float2half(float(i % 3));
  half *a; float *c;
  cudaMalloc(&a, sizeof h); cudaMalloc(&c, sizeof r);
  cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice);
  gemmOk<<<dim3(2, 2), 32>>>(a, a, c, n);
  cudaMemcpy(r, c, sizeof r, cudaMemcpyDeviceToHost);
  float want = 0;
  for (int k = 0; k < n; ++k) want += float((5 * n + k) % 3) * float((9 * n + k) % 3);
  printf("%s\n", want == r[5 * n + 9] ? "same" : "different");
  gemmPastBad<<<2, 32>>>(a, c, n);
  sharedStageOk<<<1, 32>>>(a, c);
  sharedStageBad<<<1, 64>>>(a, c);
  cudaDeviceSynchronize();
  halfWarpBad<<<1, 32>>>(a, c);
  cudaDeviceSynchronize();
  cudaFree(a); cudaFree(c);
}
// PRINTS: same
