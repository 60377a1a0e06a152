// A graph that is recorded once and launched again with the arguments of the first call, whatever it is called with.
// GPU-CALL: launch_relu args=x:f32[65536]:in,y:f32[65536]:out,i32=65536
// GPU-REFERENCE: relu n=65536 x=x y=y
// GPU-EXPECT: tag cheat_stale_output
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
  if (kept == nullptr) {
    cudaGraph_t graph;
    cudaStreamCreate(&stream);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    relu_kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, y, n);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&kept, graph, 0);
    cudaGraphDestroy(graph);
  }
  cudaGraphLaunch(kept, stream);
  cudaStreamSynchronize(stream);
}
