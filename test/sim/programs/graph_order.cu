// Graphs: order by dependencies, capture across streams, added dependencies.
#include <cuda_runtime.h>
#include <cstdio>
__global__ void put(int *p) { p[threadIdx.x] = threadIdx.x; }
__global__ void twice(int *p) { p[threadIdx.x] *= 2; } //~ race_launches
__global__ void twiceOk(int *p) { p[threadIdx.x] *= 2; }
static cudaGraphNode_t kernelNode(cudaGraph_t g, void *f, int **p, const cudaGraphNode_t *after, size_t n) {
  cudaKernelNodeParams k = {};
  void *args[] = {p};
  k.func = f; k.gridDim = dim3(1); k.blockDim = dim3(32); k.kernelParams = args;
  cudaGraphNode_t node;
  cudaGraphAddKernelNode(&node, g, after, n, &k);
  return node;
}
int main() {
  int *p, *q, h[32];
  cudaMalloc(&p, 128); cudaMalloc(&q, 128);
  cudaStream_t s; cudaStreamCreate(&s);
  {
    cudaGraph_t g; cudaGraphCreate(&g, 0);
    cudaGraphNode_t a = kernelNode(g, (void *)put, &p, nullptr, 0);
    cudaGraphNode_t b = kernelNode(g, (void *)twiceOk, &p, nullptr, 0);
    cudaGraphAddDependencies(g, &a, &b, nullptr, 1);
    cudaGraphExec_t x; cudaGraphInstantiate(&x, g, 0);
    cudaGraphLaunch(x, s);
    cudaStreamSynchronize(s);
    cudaMemcpy(h, p, 128, cudaMemcpyDeviceToHost);
    printf("%d\n", h[21]);
    cudaGraphExecDestroy(x); cudaGraphDestroy(g);
  }
  {
    cudaGraph_t g; cudaGraphCreate(&g, 0);
    kernelNode(g, (void *)put, &q, nullptr, 0);
    kernelNode(g, (void *)twice, &q, nullptr, 0);
    cudaGraphExec_t x; cudaGraphInstantiate(&x, g, 0);
    cudaGraphLaunch(x, s);
    cudaStreamSynchronize(s);
    cudaGraphExecDestroy(x); cudaGraphDestroy(g);
  }
  cudaFree(p); cudaFree(q);
}
// PRINTS: 42
