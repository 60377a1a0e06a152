// RUN: %kcheck_test --rules global-effect --hosts kcheck %s
// Warp matrix functions read global memory and store where they are told to.
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

__global__ void tileBad(const __half *x, const __half *w, float *y, int n, int k) {
  __shared__ __align__(32) float stage[256];
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int i = 0; i < k; i += 16) {
    wmma::load_matrix_sync(a, x + (size_t)blockIdx.y * 16 * k + i, k);
    wmma::load_matrix_sync(b, w + (size_t)blockIdx.x * 16 * k + i, k);
    wmma::mma_sync(sum, a, b, sum);
  }
  wmma::store_matrix_sync(stage, sum, 16, wmma::mem_row_major);
  __syncwarp();
  for (int e = threadIdx.x; e < 256; e += 32)
    stage[e] += 1.0f; // expect: reject write_to_shared_only
}
__global__ void tileOk(const __half *x, const __half *w, float *y, int n, int k) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int i = 0; i < k; i += 16) {
    wmma::load_matrix_sync(a, x + (size_t)blockIdx.y * 16 * k + i, k);
    wmma::load_matrix_sync(b, w + (size_t)blockIdx.x * 16 * k + i, k);
    wmma::mma_sync(sum, a, b, sum);
  }
  wmma::store_matrix_sync(y + (size_t)blockIdx.y * 16 * n + blockIdx.x * 16, sum, n, wmma::mem_row_major);
}
void launchTiles(const __half *x, const __half *w, float *y, int m, int n, int k) {
  tileBad<<<dim3(n / 16, m / 16), 32>>>(x, w, y, n, k);
  tileOk<<<dim3(n / 16, m / 16), 32>>>(x, w, y, n, k);
}
