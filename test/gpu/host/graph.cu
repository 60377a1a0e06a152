// A graph made node by node and one that is recorded, with a host function and a fork of streams in it.
// GPU-CALL: launch_relu args=x:f32[65536]:in,y:f32[65536]:out,i32=65536
// GPU-REFERENCE: relu n=65536 x=x y=y
// GPU-PERF: runs=10
// GPU-EXPECT: ok
#include <cuda_runtime.h>

__global__ void relu_kernel(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = fmaxf(x[i], 0.0f);
}

static void count(void *calls) { ++*static_cast<int *>(calls); }

void launch_relu(const float *x, float *y, int n) {
  static cudaStream_t first = nullptr, second;
  static cudaEvent_t forked, joined;
  static float *copy = nullptr;
  if (first == nullptr) {
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&forked, cudaEventDisableTiming);
    cudaEventCreateWithFlags(&joined, cudaEventDisableTiming);
    cudaMalloc(&copy, n * sizeof(float));
  }
  int half = n / 2, calls = 0;
  cudaGraph_t recorded, built;
  cudaGraphExec_t both;
  cudaStreamBeginCapture(first, cudaStreamCaptureModeThreadLocal);
  cudaMemcpyAsync(copy, x, n * sizeof(float), cudaMemcpyDeviceToDevice, first);
  cudaEventRecord(forked, first);
  cudaStreamWaitEvent(second, forked, 0);
  relu_kernel<<<(half + 255) / 256, 256, 0, first>>>(copy, y, half);
  relu_kernel<<<(n - half + 255) / 256, 256, 0, second>>>(copy + half, y + half, n - half);
  cudaEventRecord(joined, second);
  cudaStreamWaitEvent(first, joined, 0);
  cudaLaunchHostFunc(first, count, &calls);
  cudaStreamEndCapture(first, &recorded);

  cudaGraphNode_t clear, inner;
  cudaGraphCreate(&built, 0);
  cudaMemsetParams zero = {};
  zero.dst = y;
  zero.elementSize = 1;
  zero.width = n * sizeof(float);
  zero.height = 1;
  zero.pitch = zero.width;
  cudaGraphAddMemsetNode(&clear, built, nullptr, 0, &zero);
  cudaGraphAddChildGraphNode(&inner, built, &clear, 1, recorded);
  if (cudaGraphInstantiate(&both, built, 0) != cudaSuccess)
    return;
  cudaGraphLaunch(both, first);
  cudaStreamSynchronize(first);
  if (calls != 1) // the host function is part of it
    cudaMemset(y, 0xFF, n * sizeof(float));
  cudaGraphExecDestroy(both);
  cudaGraphDestroy(built);
  cudaGraphDestroy(recorded);
}
