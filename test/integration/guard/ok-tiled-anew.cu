// expect: REVIEW launch_changed
// a product that was built anew from tiles has other checks, and goes no further
//--- parent
// verdict: PASS
// One output a thread, straight from global memory: right, and only a clock can tell how slow.
#include <cuda_runtime.h>

__global__ void linear_relu(const float *x, const float *w, const float *bias, float *y, int m, int n, int k) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || col >= n)
    return;
  float sum = bias[col];
  for (int i = 0; i < k; ++i)
    sum += x[(size_t)row * k + i] * w[(size_t)col * k + i];
  y[(size_t)row * n + col] = fmaxf(sum, 0.0f);
}

void launch_linear_relu(const float *x, const float *w, const float *bias, float *y, int m, int n, int k) {
  dim3 block(16, 16);
  dim3 grid((n + 15) / 16, (m + 15) / 16);
  linear_relu<<<grid, block>>>(x, w, bias, y, m, n, k);
}

//--- candidate
// verdict: PASS
// Tiles of both matrices through shared memory; a thread adds up 4 x 4 outputs, so that an element that was read serves four.
#include <cuda_runtime.h>

constexpr int Tile = 64, Step = 16, Each = 4, Side = Tile / Each;

__global__ void linear_relu(const float *__restrict__ x, const float *__restrict__ w, const float *__restrict__ bias,
                            float *__restrict__ y, int m, int n, int k) {
  __shared__ float xs[Step][Tile + 1];
  __shared__ float ws[Step][Tile + 1];
  const int row0 = blockIdx.y * Tile, col0 = blockIdx.x * Tile;
  const int thread = threadIdx.y * Side + threadIdx.x;
  float sum[Each][Each] = {};
  for (int k0 = 0; k0 < k; k0 += Step) {
    for (int i = thread; i < Tile * Step; i += Side * Side) {
      const int r = i / Step, kk = i % Step;
      xs[kk][r] = row0 + r < m && k0 + kk < k ? x[(size_t)(row0 + r) * k + k0 + kk] : 0.0f;
      ws[kk][r] = col0 + r < n && k0 + kk < k ? w[(size_t)(col0 + r) * k + k0 + kk] : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < Step; ++kk) {
      float a[Each], b[Each];
#pragma unroll
      for (int u = 0; u < Each; ++u) {
        a[u] = xs[kk][threadIdx.y + u * Side];
        b[u] = ws[kk][threadIdx.x + u * Side];
      }
#pragma unroll
      for (int u = 0; u < Each; ++u)
#pragma unroll
        for (int v = 0; v < Each; ++v)
          sum[u][v] += a[u] * b[v];
    }
    __syncthreads();
  }
  for (int u = 0; u < Each; ++u)
    for (int v = 0; v < Each; ++v) {
      const int row = row0 + threadIdx.y + u * Side, col = col0 + threadIdx.x + v * Side;
      if (row < m && col < n)
        y[(size_t)row * n + col] = fmaxf(sum[u][v] + bias[col], 0.0f);
    }
}

void launch_linear_relu(const float *x, const float *w, const float *bias, float *y, int m, int n, int k) {
  dim3 block(Side, Side);
  dim3 grid((n + Tile - 1) / Tile, (m + Tile - 1) / Tile);
  linear_relu<<<grid, block>>>(x, w, bias, y, m, n, k);
}
