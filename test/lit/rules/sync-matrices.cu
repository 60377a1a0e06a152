// RUN: %kcheck_test --rules=sync %s
// REQUIRES: cuda
// What a warp's matrix functions store is there for others behind a barrier only.
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

__global__ void biasedBad(const __half *a, const __half *b, const float *bias, float *c) {
  __shared__ __align__(32) float tile[256];
  if (threadIdx.x < 32) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    wmma::load_matrix_sync(fa, a + blockIdx.x * 256, 16);
    wmma::load_matrix_sync(fb, b, 16);
    wmma::mma_sync(sum, fa, fb, sum);
    wmma::store_matrix_sync(tile, sum, 16, wmma::mem_row_major);
  }
  c[blockIdx.x * 256 + threadIdx.x] = tile[threadIdx.x] + bias[threadIdx.x % 16]; // expect: reject missing_barrier
}
void launchBiased(const __half *a, const __half *b, const float *bias, float *c, int tiles) { biasedBad<<<tiles, 256>>>(a, b, bias, c); }

// A tile a warp, and a barrier where all share one.
__global__ void tilesOk(const __half *a, const __half *b, float *c) {
  __shared__ __align__(32) __half left[4][256];
  __shared__ __align__(32) float tile[4][256];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int i = threadIdx.x; i < 1024; i += 128)
    left[i / 256][i % 256] = a[blockIdx.x * 1024 + i];
  __syncthreads();
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  wmma::load_matrix_sync(fa, left[warp], 16);
  wmma::load_matrix_sync(fb, b, 16);
  wmma::mma_sync(sum, fa, fb, sum);
  wmma::store_matrix_sync(tile[warp], sum, 16, wmma::mem_row_major);
  __syncwarp();
  for (int i = lane; i < 256; i += 32)
    c[blockIdx.x * 1024 + warp * 256 + i] = tile[warp][i];
}
void launchTiles(const __half *a, const __half *b, float *c, int tiles) { tilesOk<<<tiles, 128>>>(a, b, c); }
