// Memory that a captured stream allocates and frees serves every run of the graph.
// PRINTS: sum 64
#include <cstdio>
#include <cuda_runtime.h>

__global__ void fill(int *x) { x[threadIdx.x] = 1; }
__global__ void add(const int *x, int *o) { atomicAdd(o, x[threadIdx.x]); }

int main() {
  cudaStream_t s;
  cudaGraph_t g;
  cudaGraphExec_t e;
  int *x, *o, sum = 0;
  cudaMalloc(&o, 4);
  cudaMemset(o, 0, 4);
  cudaStreamCreate(&s);
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaMallocAsync(&x, 128, s);
  fill<<<1, 32, 0, s>>>(x);
  add<<<1, 32, 0, s>>>(x, o);
  cudaFreeAsync(x, s);
  cudaStreamEndCapture(s, &g);
  cudaGraphInstantiate(&e, g, 0);
  cudaGraphLaunch(e, s);
  cudaGraphLaunch(e, s);
  cudaStreamSynchronize(s);
  cudaMemcpy(&sum, o, 4, cudaMemcpyDeviceToHost);
  printf("sum %d\n", sum);
  cudaGraphExecDestroy(e);
  cudaGraphDestroy(g);
  cudaStreamDestroy(s);
  cudaFree(o);
  return cudaGetLastError();
}
