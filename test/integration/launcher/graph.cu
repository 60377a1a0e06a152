// op: relu  verdict: REVIEW PASS  tags: host_code_executed
// A graph: recorded from a stream the first time, brought up to date with the arguments of each later call.
#include <cuda_runtime.h>

__global__ void relu_kernel(const float *__restrict__ x, float *__restrict__ y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] > 0.0f ? x[i] : 0.0f;
}

void launch_relu(const float *x, float *y, int n) {
  static cudaStream_t stream = nullptr;
  static cudaGraphExec_t kept = nullptr;
  if (n <= 0)
    return;
  if (stream == nullptr)
    cudaStreamCreate(&stream);
  cudaGraph_t graph = nullptr;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  cudaMemsetAsync(y, 0, n * sizeof(float), stream);
  relu_kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, y, n);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphExecUpdateResultInfo changes;
  if (kept == nullptr)
    cudaGraphInstantiate(&kept, graph, 0);
  else if (cudaGraphExecUpdate(kept, graph, &changes) != cudaSuccess || changes.result != cudaGraphExecUpdateSuccess)
    return;
  cudaGraphDestroy(graph);
  cudaGraphLaunch(kept, stream);
  cudaStreamSynchronize(stream);
}
