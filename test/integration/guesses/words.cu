// WANT:
// Each row has words of its own for its bits: rounded up by row, not as a whole.
#include <cuda_runtime.h>
__global__ void pack(const unsigned char *mask, unsigned *words, int rows, int cols) {
  int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32, per = (cols + 31) / 32;
  if (row >= rows) return;
  for (int w = 0; w < per; ++w) {
    int c = w * 32 + lane;
    unsigned word = __ballot_sync(~0u, c < cols && mask[(size_t)row * cols + c]);
    if (lane == 0) words[(size_t)row * per + w] = word;
  }
}
void launch(const unsigned char *mask, unsigned *words, int rows, int cols) {
  if (rows > 0) pack<<<(rows + 7) / 8, 256>>>(mask, words, rows, cols);
}
