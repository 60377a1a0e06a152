// Two streams race for a buffer; an event orders two others.
#include <cuda_runtime.h>
__global__ void put(int *p, int v) {
  p[threadIdx.x] = v + threadIdx.x; //~ race_launches
}
__global__ void add(int *p) { p[threadIdx.x] += 1; }
int main() {
  int *a, *b;
  cudaMalloc(&a, 256);
  cudaMalloc(&b, 256);
  cudaStream_t s, t;
  cudaStreamCreate(&s);
  cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
  put<<<1, 64, 0, s>>>(a, 1);
  put<<<1, 64, 0, t>>>(a, 2);
  cudaDeviceSynchronize();
  cudaEvent_t e;
  cudaEventCreate(&e);
  cudaMemset(b, 0, 256);
  cudaDeviceSynchronize();
  add<<<1, 64, 0, s>>>(b);
  cudaEventRecord(e, s);
  cudaStreamWaitEvent(t, e, 0);
  add<<<1, 64, 0, t>>>(b);
  cudaStreamSynchronize(t);
  int h[64];
  cudaMemcpy(h, b, 256, cudaMemcpyDeviceToHost);
  cudaEventDestroy(e);
  cudaStreamDestroy(s);
  cudaStreamDestroy(t);
  cudaFree(a);
  cudaFree(b);
  return h[5] == 2 ? 0 : 1;
}
