// A non-blocking stream does not wait for the default stream; memory freed while another stream uses it.
#include <cuda_runtime.h>
__global__ void put(int *p) { p[threadIdx.x] = 1; }
__global__ void twice(int *p) { p[threadIdx.x] *= 2; } //~ race_launches
__global__ void twiceOk(int *p) { p[threadIdx.x] *= 2; }
__global__ void thrice(int *p) { p[threadIdx.x] *= 3; } //~ race_launches
__global__ void spin(int *p) { p[threadIdx.x] = 7; }
int main() {
  int *p, *m;
  cudaMalloc(&p, 256);
  cudaStream_t n, a, b;
  cudaStreamCreateWithFlags(&n, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
  put<<<1, 64>>>(p);
  twice<<<1, 64, 0, n>>>(p);
  cudaDeviceSynchronize();
  put<<<1, 64>>>(p);
  cudaStreamSynchronize(0);
  twiceOk<<<1, 64, 0, n>>>(p);
  cudaDeviceSynchronize();
  // an asynchronous copy and a kernel
  int *h; cudaMallocHost(&h, 256);
  for (int i = 0; i < 64; ++i) h[i] = i;
  cudaMemcpyAsync(p, h, 256, cudaMemcpyHostToDevice, a);
  thrice<<<1, 64, 0, b>>>(p);
  cudaDeviceSynchronize();
  cudaMemcpyAsync(p, h, 256, cudaMemcpyHostToDevice, a);
  twiceOk<<<1, 64, 0, a>>>(p);
  cudaMemcpyAsync(h, p, 256, cudaMemcpyDeviceToHost, a);
  cudaStreamSynchronize(a);
  // freed in stream b while a may still write
  cudaMallocAsync(&m, 256, a);
  spin<<<1, 64, 0, a>>>(m);
  cudaFreeAsync(m, b); //~ race_launches
  cudaDeviceSynchronize();
  cudaFreeHost(h);
  cudaFree(p);
}
