// WANT: race_shared
// The same with a fault that no length hides.
#include <cuda_runtime.h>
__global__ void counts(const int *labels, int *bins, int n, int classes) {
  __shared__ int seen[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  seen[threadIdx.x] = i < n ? labels[i] : -1;
  int next = seen[(threadIdx.x + 1) % 256];
  if (next >= 0 && next < classes)
    atomicAdd(&bins[next], 1);
}
void launchCounts(const int *labels, int *bins, int n, int classes, cudaStream_t stream) {
  cudaMemsetAsync(bins, 0, (size_t(classes) * 3 + 17) * sizeof(int), stream);
  counts<<<(n + 255) / 256, 256, 0, stream>>>(labels, bins, n, classes);
}
