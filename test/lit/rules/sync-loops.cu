// RUN: %kcheck_test --rules=sync %s
#include <cuda_runtime.h>

// Asynchronous copies that nobody waits for; a barrier orders threads only.
#include <cuda_pipeline.h>
__global__ void copiedBad(const float4 *x, float *out, int tiles) {
  __shared__ float4 stage[128];
  float sum = 0.0f;
  for (int t = blockIdx.x; t < tiles; t += gridDim.x) {
    __pipeline_memcpy_async(&stage[threadIdx.x], &x[t * 128 + threadIdx.x], sizeof(float4));
    __pipeline_commit();
    __syncthreads();
    sum += stage[127 - threadIdx.x].x; // expect: reject missing_barrier
    __syncthreads();
  }
  atomicAdd(out, sum);
}
__global__ void copiedOk(const float4 *x, float *out, int tiles) {
  __shared__ float4 stage[128];
  float sum = 0.0f;
  for (int t = blockIdx.x; t < tiles; t += gridDim.x) {
    __pipeline_memcpy_async(&stage[threadIdx.x], &x[t * 128 + threadIdx.x], sizeof(float4));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    sum += stage[127 - threadIdx.x].x;
    __syncthreads();
  }
  atomicAdd(out, sum);
}
void launchCopied(const float4 *x, float *out, int tiles) {
  copiedBad<<<64, 128>>>(x, out, tiles);
  copiedOk<<<64, 128>>>(x, out, tiles);
}

// Threads that leave a loop by what they read, while others wait at its barrier.
__global__ void settleBad(const int *next, int *label, int trips) {
  __shared__ int mine[256];
  int t = threadIdx.x, to = next[blockIdx.x * 256 + t] & 255;
  mine[t] = t;
  __syncthreads();
  for (int k = 0; k < trips; ++k) {
    int want = mine[to];
    if (want >= mine[t])
      break;
    __syncthreads(); // expect: reject barrier_in_divergent_loop
    mine[t] = want;
    __syncthreads(); // expect: reject barrier_in_divergent_loop
  }
  label[blockIdx.x * 256 + t] = mine[t];
}
__global__ void settleOk(const int *next, int *label, int trips) {
  __shared__ int mine[256];
  int t = threadIdx.x, to = next[blockIdx.x * 256 + t] & 255;
  mine[t] = t;
  __syncthreads();
  for (int k = 0; k < trips; ++k) {
    int want = mine[to];
    bool moves = want < mine[t];
    if (!__syncthreads_or(moves))
      break;
    if (moves)
      mine[t] = want;
    __syncthreads();
  }
  label[blockIdx.x * 256 + t] = mine[t];
}
void launchSettle(const int *next, int *label, int blocks, int trips) {
  settleBad<<<blocks, 256>>>(next, label, trips);
  settleOk<<<blocks, 256>>>(next, label, trips);
}

// The block that the index forms of an unlaunched kernel show.
__global__ void tiledBad(const float *a, float *c, int rows, int cols) {
  __shared__ float tile[16][16];
  int r = blockIdx.y * 16 + threadIdx.y, q = blockIdx.x * 16 + threadIdx.x;
  tile[threadIdx.y][threadIdx.x] = r < rows && q < cols ? a[r * cols + q] : 0.0f;
  float sum = 0.0f;
  for (int k = 0; k < 16; ++k)
    sum += tile[k][threadIdx.x]; // expect: review missing_barrier
  if (r < rows && q < cols)
    c[r * cols + q] = sum;
}

// How often the loop runs hangs on data, but is the same for the whole block: who waits inside is known.
__global__ void sumListsBad(const int *list, const int *length, int *sums) {
  __shared__ int part[256];
  int t = threadIdx.x, sum = 0;
  for (int first = 0; first < length[blockIdx.x]; first += 256) {
    part[t] = list[first + t];
    __syncthreads();
    if (t < 128) {
      part[t] += part[t + 128];
      __syncthreads(); // expect: reject barrier_divergence
    }
    sum += part[0];
    __syncthreads();
  }
  if (t == 0)
    sums[blockIdx.x] = sum;
}
__global__ void sumListsOk(const int *list, const int *length, int *sums) {
  __shared__ int part[256];
  int t = threadIdx.x, sum = 0;
  for (int first = 0; first < length[blockIdx.x]; first += 256) {
    part[t] = list[first + t];
    __syncthreads();
    if (t < 128)
      part[t] += part[t + 128];
    __syncthreads();
    sum += part[0];
    __syncthreads();
  }
  if (t == 0)
    sums[blockIdx.x] = sum;
}
void launchSumLists(const int *list, const int *length, int *sums, int lists) {
  sumListsBad<<<lists, 256>>>(list, length, sums);
  sumListsOk<<<lists, 256>>>(list, length, sums);
}
