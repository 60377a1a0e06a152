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

// Whoever reads where a row ends and never uses it has left a question out: a row may be empty.
__global__ void firstOfRowBad(Graph g, const float *weight, float *out) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= g.nodes)
    return;
  int begin = g.start[v];
  int end = g.start[v + 1];
  int at = begin;
  out[v] = weight[g.neighbour[at]]; // expect: review missing_bounds_guard
}
__global__ void lastOfRowBad(const int *start, const int *column, int *out, int rows) {
  for (int r = blockIdx.x * blockDim.x + threadIdx.x; r < rows; r += gridDim.x * blockDim.x) {
    const int begin = __ldg(&start[r]), end = __ldg(&start[r + 1]);
    const int last = end - 1;
    out[r] = column[last]; // expect: review missing_bounds_guard
  }
}
__global__ void firstOfRowOk(Graph g, const float *weight, float *out) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= g.nodes)
    return;
  int begin = g.start[v];
  int end = g.start[v + 1];
  if (begin < end)
    out[v] = weight[g.neighbour[begin]];
}
// The diagonal stands at the end of every row, and the loop leaves it out.
__global__ void diagonalOk(const int *start, const int *column, const float *value, const float *b, const float *x, float *y, int rows) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows)
    return;
  int begin = start[r], diagonal = start[r + 1] - 1;
  float sum = b[r];
  for (int i = begin; i < diagonal; ++i)
    sum -= value[i] * x[column[i]];
  y[r] = sum / value[diagonal];
}
// The degrees say which rows are empty.
__global__ void byDegreeOk(Graph g, const int *degree, int *out) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= g.nodes)
    return;
  int begin = g.start[v];
  int end = g.start[v + 1];
  int own = degree[v];
  if (own > 0)
    out[v] = g.neighbour[begin];
}
// What is written at a row's beginning needs no element there.
__global__ void headersOk(const int *start, int *out, int rows) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows)
    return;
  int begin = start[r];
  int end = start[r + 1];
  out[begin] = r;
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
