// A program that uses much of the runtime and has no fault.
// PROGRAM: 3000
// PRINTS: sum 6000 min 2 device 1024
// PRINTS: caught text
// PRINTS: hello from thread 0
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#define CHECK(X)                                                                                                       \
  do {                                                                                                                 \
    cudaError_t E = (X);                                                                                               \
    if (E != cudaSuccess) {                                                                                            \
      fprintf(stderr, "%s: %s\n", #X, cudaGetErrorString(E));                                                          \
      exit(1);                                                                                                         \
    }                                                                                                                  \
  } while (0)

__constant__ float scale[2];
__device__ int counter;

template <class T> __global__ void axpy(const T *x, T *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = x[i] * scale[1] + y[i];
    atomicAdd(&counter, 1);
  }
}

__global__ void total(const float *x, float *out, int n) {
  extern __shared__ float part[];
  float s = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    s += x[i];
  part[threadIdx.x] = s;
  __syncthreads();
  for (int w = blockDim.x / 2; w; w /= 2) {
    if (threadIdx.x < w)
      part[threadIdx.x] += part[threadIdx.x + w];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    *out = part[0];
}

__global__ void hello() {
  if (threadIdx.x == 0)
    printf("hello from thread %d\n", threadIdx.x);
}

__global__ void twice(int *m, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    m[i] *= 2;
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1000;
  std::vector<float> x(n, 0.5f), y(n, 1.0f);
  float factors[2] = {0, 2}, *dx, *dy, *dout, sum = 0;
  CHECK(cudaMalloc(&dx, n * sizeof(float)));
  CHECK(cudaMalloc((void **)&dy, n * sizeof(float)));
  CHECK(cudaMalloc(&dout, sizeof(float)));
  CHECK(cudaMemcpyToSymbol(scale, factors, sizeof factors));
  CHECK(cudaMemcpy(dx, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  cudaStream_t s;
  CHECK(cudaStreamCreate(&s));
  CHECK(cudaMemcpyAsync(dy, y.data(), n * sizeof(float), cudaMemcpyHostToDevice, s));
  cudaEvent_t from, to;
  CHECK(cudaEventCreate(&from));
  CHECK(cudaEventCreate(&to));
  CHECK(cudaEventRecord(from, s));
  axpy<float><<<(n + 127) / 128, 128, 0, s>>>(dx, dy, n);
  total<<<1, 256, 256 * sizeof(float), s>>>(dy, dout, n);
  CHECK(cudaGetLastError());
  CHECK(cudaEventRecord(to, s));
  CHECK(cudaEventSynchronize(to));
  float ms;
  CHECK(cudaEventElapsedTime(&ms, from, to));
  CHECK(cudaMemcpy(&sum, dout, sizeof sum, cudaMemcpyDeviceToHost));
  int count = 0;
  CHECK(cudaMemcpyFromSymbol(&count, counter, sizeof count));
  cudaDeviceProp p;
  CHECK(cudaGetDeviceProperties(&p, 0));
  printf("sum %g min %d device %d\n", sum, min(2, 3), p.maxThreadsPerBlock);
  int *managed;
  CHECK(cudaMallocManaged(&managed, 100 * sizeof(int)));
  std::iota(managed, managed + 100, 0);
  twice<<<1, 128>>>(managed, 100);
  CHECK(cudaDeviceSynchronize());
  try {
    if (managed[99] != 198 || count != n || ms <= 0)
      throw std::string("wrong");
    throw std::runtime_error("text");
  } catch (std::exception &e) {
    printf("caught %s\n", e.what());
  }
  hello<<<1, 32>>>();
  // A graph, recorded and run twice.
  cudaGraph_t g;
  cudaGraphExec_t run;
  CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  twice<<<1, 128, 0, s>>>(managed, 100);
  CHECK(cudaStreamEndCapture(s, &g));
  CHECK(cudaGraphInstantiate(&run, g, 0));
  CHECK(cudaGraphLaunch(run, s));
  CHECK(cudaGraphLaunch(run, s));
  CHECK(cudaStreamSynchronize(s));
  int bad = managed[1] != 8;
  CHECK(cudaGraphExecDestroy(run));
  CHECK(cudaGraphDestroy(g));
  for (void *q : {(void *)dx, (void *)dy, (void *)dout, (void *)managed})
    CHECK(cudaFree(q));
  CHECK(cudaEventDestroy(from));
  CHECK(cudaEventDestroy(to));
  CHECK(cudaStreamDestroy(s));
  return bad;
}
