// Baseline of argmax_flat: value and index travel together; the lower index wins a tie.
#include "baseline.cuh"
#include <math.h>

__global__ void largest(const T *__restrict__ x, int *__restrict__ y, int rows, int cols) {
  __shared__ Acc values[1024];
  __shared__ int at[1024];
  for (int r = blockIdx.x; r < rows; r += gridDim.x) {
    Acc best = -INFINITY;
    int index = 0x7fffffff;
    for (int c = threadIdx.x; c < cols; c += blockDim.x) {
      Acc v = widen(x[(size_t)r * cols + c]);
      if (v > best || index == 0x7fffffff) {
        best = v;
        index = c;
      }
    }
    values[threadIdx.x] = best;
    at[threadIdx.x] = index;
    __syncthreads();
    for (int d = blockDim.x / 2; d > 0; d /= 2) {
      if (threadIdx.x < d) {
        Acc v = values[threadIdx.x + d];
        int i = at[threadIdx.x + d];
        if (v > values[threadIdx.x] || (v == values[threadIdx.x] && i < at[threadIdx.x])) {
          values[threadIdx.x] = v;
          at[threadIdx.x] = i;
        }
      }
      __syncthreads();
    }
    if (threadIdx.x == 0)
      y[r] = at[0];
    __syncthreads();
  }
}

void launch_argmax_flat(const T *x, int *y, int n) {
  largest<<<1, 1024>>>(x, y, 1, n);
}
