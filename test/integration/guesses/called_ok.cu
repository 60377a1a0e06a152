// WANT:
// Its twin with the barrier. The other launchers refuse the sizes that they are called with, keep memory for the next call, leave work on
// a stream of their own for others to wait for, or read host memory: nothing of that is a fault.
#include <cmath>
#include <cuda_runtime.h>
#include <stdexcept>
#include <vector>
__global__ void rowSums(const float *x, float *sums, float scale, int cols) {
  __shared__ float part[128];
  float s = 0;
  for (int i = threadIdx.x; i < cols; i += 128)
    s += x[(size_t)blockIdx.x * cols + i];
  part[threadIdx.x] = s;
  __syncthreads();
  for (int o = 64; o > 0; o /= 2) {
    if (threadIdx.x < o)
      part[threadIdx.x] += part[threadIdx.x + o];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    sums[blockIdx.x] = part[0] * scale;
}
__global__ void scaled(const float *x, float *y, float scale, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] * scale;
}
void launchRowSums(const float *x, float *sums, int rows, int cols) {
  std::vector<float> scales(1, 1.0f / std::sqrt(float(cols)));
  rowSums<<<rows, 128>>>(x, sums, scales[0], cols);
}
void launchRefusing(const float *x, float *y, int n) {
  std::vector<float> scales(1, std::sqrt(float(n)));
  scaled<<<(n + 127) / 128, 128>>>(x, y, scales[0], n);
  if (n % 7 != 3)
    throw std::invalid_argument("n must leave three");
}
static float *Kept = nullptr;
void launchKeeping(const float *x, float *y, int n) {
  std::vector<float> scales(1, std::sqrt(float(n)));
  if (!Kept)
    cudaMalloc(&Kept, size_t(1) << 22);
  scaled<<<(n + 127) / 128, 128>>>(x, Kept, scales[0], n);
  scaled<<<(n + 127) / 128, 128>>>(Kept, y, scales[0], n);
}
cudaStream_t Own;
void launchBeside(const float *x, float *y, int n) {
  std::vector<float> scales(1, std::sqrt(float(n)));
  cudaStreamCreateWithFlags(&Own, cudaStreamNonBlocking);
  scaled<<<(n + 127) / 128, 128, 0, Own>>>(x, y, scales[0], n);
}
void waitBeside() { cudaStreamSynchronize(Own); }
void launchHostScales(const float *x, const float *scales, float *y, int n) {
  float most = 0;
  for (int i = 0; i < 4; ++i)
    most = std::fmax(most, scales[i]);
  scaled<<<(n + 127) / 128, 128>>>(x, y, most, n);
}
