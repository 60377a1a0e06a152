// RUN: %kcheck_test --rules api --hosts kcheck %s
#include <cuda_runtime.h>

// The width of a copy of rows counts bytes.
void pitchedBad(const uchar4 *h, int w, int rows) {
  uchar4 *d;
  size_t pitch;
  cudaMallocPitch(&d, &pitch, w * sizeof(uchar4), rows);
  cudaMemcpy2D(d, pitch, h, w, w, rows, cudaMemcpyHostToDevice); // expect: reject memcpy_size
  cudaMemcpy2D(d, pitch, h, w * sizeof(uchar4), w * sizeof(uchar4), rows, cudaMemcpyHostToDevice);
  cudaFree(d);
}

// A factor that the allocation leaves out.
__global__ void products(const float *x, float *g, int d) {
  if (threadIdx.x == 0)
    g[(size_t(blockIdx.z) * d + blockIdx.y) * d + blockIdx.x] = x[size_t(blockIdx.z) * d + blockIdx.x] * x[size_t(blockIdx.z) * d + blockIdx.y];
}
void workspaceBad(const float *x, float *h, int batch, int d) {
  float *g;
  cudaMalloc(&g, size_t(d) * d * sizeof(float)); // expect: reject alloc_size
  products<<<dim3(d, d, batch), 32>>>(x, g, d);
  cudaMemcpy(h, g, d * d * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(g);
}
