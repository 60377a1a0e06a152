// verdict: REVIEW uncoalesced
// Reads along rows, writes down columns: every store of a warp goes to another line of memory.
#include <cuda_runtime.h>

__global__ void transpose(const float *x, float *y, int rows, int cols) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  int r = blockIdx.y * blockDim.y + threadIdx.y;
  if (r < rows && c < cols)
    y[(size_t)c * rows + r] = x[(size_t)r * cols + c];
}

void launch_transpose(const float *x, float *y, int rows, int cols) {
  dim3 block(32, 8);
  dim3 grid((cols + 31) / 32, (rows + 7) / 8);
  transpose<<<grid, block>>>(x, y, rows, cols);
}
