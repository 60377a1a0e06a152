// NOT_RUN: argument 'table' of this launch is not known
// What the launcher reads is set by another function: called alone it would hand null pointers to its kernel.
#include <cmath>
#include <cuda_runtime.h>
#include <vector>
static float *Table;
static int Width;
__global__ void look(const float *table, const float *x, float *y, float scale, int n, int width) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = table[int(x[i]) % width] * scale;
}
void prepare(int width) {
  cudaMalloc(&Table, size_t(width) * 4);
  cudaMemset(Table, 0, size_t(width) * 4);
  Width = width;
}
void launchLook(const float *x, float *y, int n) {
  std::vector<float> scales(1, std::sqrt(float(n)));
  look<<<(n + 127) / 128, 128>>>(Table, x, y, scales[0], n, Width);
}
