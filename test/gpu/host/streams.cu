// Streams, events, memory and a variable of its own; everything is waited for.
// GPU-CALL: launch_relu args=x:f32[65536]:in,y:f32[65536]:out,i32=65536
// GPU-REFERENCE: relu n=65536 x=x y=y
// GPU-EXPECT: ok
#include <cuda_runtime.h>

__constant__ float threshold;

__global__ void relu_kernel(const float *x, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = fmaxf(x[i], threshold);
}

void launch_relu(const float *x, float *y, int n) {
  float zero = 0.0f, *copy = nullptr;
  cudaStream_t first, second;
  cudaEvent_t done;
  cudaMemcpyToSymbol(threshold, &zero, sizeof zero);
  cudaMalloc(&copy, n * sizeof(float));
  cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
  cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
  cudaMemcpyAsync(copy, x, n * sizeof(float), cudaMemcpyDeviceToDevice, first);
  cudaEventRecord(done, first);
  cudaStreamWaitEvent(second, done, 0);
  cudaDeviceProp device;
  cudaGetDeviceProperties(&device, 0);
  int threads = device.maxThreadsPerBlock < 256 ? 128 : 256;
  relu_kernel<<<(n + threads - 1) / threads, threads, 0, second>>>(copy, y, n);
  cudaStreamSynchronize(second);
  cudaEventDestroy(done);
  cudaStreamDestroy(first);
  cudaStreamDestroy(second);
  cudaFree(copy);
}
