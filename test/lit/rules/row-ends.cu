// RUN: %kcheck_test --rules=index-space %s
#include <cuda_runtime.h>

struct Graph {
  int nodes, edges;
  int *start, *neighbour;
};

// The element at start[v + 1] is the next row's.
__global__ void degreeSumBad(Graph g, const int *degree, int *out) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= g.nodes)
    return;
  const int begin = g.start[v], end = g.start[v + 1];
  int sum = 0;
  for (int i = begin; i <= end; ++i) // expect: review guard_off_by_one
    sum += degree[g.neighbour[i]];
  out[v] = sum;
}
__device__ float dotRowBad(const int *start, const int *column, const float *value, const float *x, int row) {
  float sum = 0.0f;
  int last = __ldg(&start[1 + row]);
  int i;
  for (i = start[row] + threadIdx.x % 32; last >= i; i += 32) // expect: review guard_off_by_one
    sum += value[i] * x[column[i]];
  return sum;
}
__global__ void multiplyRows(const int *start, const int *column, const float *value, const float *x, float *y, int rows) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (row < rows)
    atomicAdd(&y[row], dotRowBad(start, column, value, x, row));
}
__global__ void degreeSumOk(Graph g, const int *degree, int *out) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= g.nodes)
    return;
  int sum = 0;
  for (int i = g.start[v]; i < g.start[v + 1]; ++i)
    sum += degree[g.neighbour[i]];
  for (int i = g.start[v]; i <= g.start[v + 1] - 1; ++i)
    sum -= g.neighbour[i];
  out[v] = sum;
}
// First and last of each piece, in tables of their own.
__global__ void piecesOk(const int *first, const int *last, const float *x, float *y, int pieces) {
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= pieces)
    return;
  float sum = 0.0f;
  for (int i = first[p]; i <= last[p]; ++i)
    sum += x[i];
  y[p] = sum;
}

// A size that is only copied is not looked at.
__global__ void relaxBad(const int *list, int listSize, int *state) {
  const int last = listSize;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int v = list[i]; // expect: review missing_bounds_guard
  atomicMin(&state[v], i);
}
__global__ void relaxOk(const int *list, int listSize, int *state) {
  const int last = listSize;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= last)
    return;
  atomicMin(&state[list[i]], i);
}
void launchRelax(const int *list, const int *deviceSize, int *state) {
  int size;
  cudaMemcpy(&size, deviceSize, sizeof(int), cudaMemcpyDeviceToHost);
  const int blocks = (size + 255) / 256;
  relaxBad<<<blocks, 256>>>(list, size, state);
  relaxOk<<<blocks, 256>>>(list, size, state);
}
