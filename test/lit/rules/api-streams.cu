// RUN: %kcheck_test --rules api --hosts kcheck %s
// Streams that wait for one another, and those that do not.
#include <cuda_runtime.h>

// A stream that does not block, and the default stream: neither waits for the other.
__global__ void addOne(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] += 1.0f;
}
void mixedStreamsBad(const float *in, float *out, int n) {
  float *d;
  cudaMalloc(&d, n * sizeof(float));
  cudaStream_t own;
  cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
  cudaMemcpyAsync(d, in, n * sizeof(float), cudaMemcpyHostToDevice, own);
  addOne<<<(n + 255) / 256, 256>>>(d, n); // expect: reject use_after_free_stream
  cudaMemcpyAsync(out, d, n * sizeof(float), cudaMemcpyDeviceToHost, own); // expect: reject use_after_free_stream
  cudaStreamSynchronize(own);
  cudaFree(d);
  cudaStreamDestroy(own);
}
void oneStreamOk(const float *in, float *out, int n) {
  float *d;
  cudaMalloc(&d, n * sizeof(float));
  cudaStream_t own;
  cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);
  cudaMemcpyAsync(d, in, n * sizeof(float), cudaMemcpyHostToDevice, own);
  cudaStreamSynchronize(own);
  addOne<<<(n + 255) / 256, 256>>>(d, n);
  cudaMemcpy(out, d, n * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(d);
  cudaStreamDestroy(own);
}
void blockingStreamOk(const float *in, float *out, int n) {
  float *d;
  cudaMalloc(&d, n * sizeof(float));
  cudaStream_t own;
  cudaStreamCreate(&own);
  cudaMemcpyAsync(d, in, n * sizeof(float), cudaMemcpyHostToDevice, own);
  addOne<<<(n + 255) / 256, 256>>>(d, n);
  cudaMemcpyAsync(out, d, n * sizeof(float), cudaMemcpyDeviceToHost, own);
  cudaStreamSynchronize(own);
  cudaFree(d);
  cudaStreamDestroy(own);
}
