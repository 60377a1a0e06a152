// WANT:
// The limit is raised: for the kernel by its name, by a pointer, or by a helper; and 48 KB need nothing.
#include <cuda_runtime.h>
template <int Cols> __global__ void flip(float *x) {
  extern __shared__ float line[];
  float *row = x + size_t(blockIdx.x) * Cols;
  for (int c = threadIdx.x; c < Cols; c += blockDim.x)
    line[c] = row[c];
  __syncthreads();
  for (int c = threadIdx.x; c < Cols; c += blockDim.x)
    row[c] = line[Cols - 1 - c];
}
template <class K> void allow(K kernel, int bytes) { cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes); }
void launchFlip(float *x, int rows) {
  cudaFuncSetAttribute(flip<16384>, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
  if (rows > 0)
    flip<16384><<<rows, 512, 65536>>>(x);
}
void launchHelped(float *x, int rows) {
  allow(flip<20480>, 81920);
  if (rows > 0)
    flip<20480><<<rows, 512, 81920>>>(x);
}
void launchPlain(float *x, int rows) {
  if (rows > 0)
    flip<12288><<<rows, 512, 49152>>>(x);
}
