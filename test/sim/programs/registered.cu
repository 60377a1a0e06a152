// Host memory that is registered serves copies; functions behind pure virtual ones are found through their table.
// PRINTS: sum 496
// PRINTS: area 12
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

struct Shape {
  __device__ virtual int area() const = 0;
  __device__ virtual ~Shape() {}
};
struct Box : Shape {
  int a, b;
  __device__ Box(int a, int b) : a(a), b(b) {}
  __device__ int area() const override { return a * b; }
};

__global__ void measure(int *o) {
  Shape *s = new Box(3, 4);
  *o = s->area();
  delete s;
}
__global__ void add(const int *x, int *o) { atomicAdd(o, x[threadIdx.x]); }

int main() {
  int *h = (int *)malloc(128), *d, *o, sum = 0;
  for (int i = 0; i < 32; ++i) h[i] = i;
  if (cudaHostRegister(h, 128, cudaHostRegisterDefault) != cudaSuccess) return 1;
  if (cudaHostRegister(h, 128, cudaHostRegisterDefault) != cudaErrorHostMemoryAlreadyRegistered) return 2;
  cudaMalloc(&d, 128);
  cudaMalloc(&o, 4);
  cudaMemset(o, 0, 4);
  cudaMemcpyAsync(d, h, 128, cudaMemcpyHostToDevice);
  add<<<1, 32>>>(d, o);
  cudaMemcpy(&sum, o, 4, cudaMemcpyDeviceToHost);
  printf("sum %d\n", sum);
  measure<<<1, 1>>>(o);
  cudaMemcpy(&sum, o, 4, cudaMemcpyDeviceToHost);
  printf("area %d\n", sum);
  cudaFree(d);
  cudaFree(o);
  if (cudaHostUnregister(h) != cudaSuccess || cudaHostUnregister(h) == cudaSuccess) return 3;
  free(h);
  return cudaGetLastError() == cudaErrorHostMemoryNotRegistered ? 0 : 4;
}
