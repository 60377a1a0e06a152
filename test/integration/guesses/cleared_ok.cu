// WANT:
// The launcher clears more than its kernel touches: the buffer is as long as what is cleared.
#include <cuda_runtime.h>
__global__ void counts(const int *labels, int *bins, int n, int classes) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && labels[i] >= 0 && labels[i] < classes)
    atomicAdd(&bins[labels[i]], 1);
}
void launchCounts(const int *labels, int *bins, int n, int classes, cudaStream_t stream) {
  cudaMemsetAsync(bins, 0, (size_t(classes) * 3 + 17) * sizeof(int), stream);
  counts<<<(n + 255) / 256, 256, 0, stream>>>(labels, bins, n, classes);
}
