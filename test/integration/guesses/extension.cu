// WANT: race_shared uninitialised_read
// PyTorch's headers need not be there for a launcher beside its functions to run.
#include <torch/extension.h>
__global__ void reverse(const float *x, float *y, int n) {
  __shared__ float s[256];
  int i = blockIdx.x * 256 + threadIdx.x;
  s[threadIdx.x] = i < n ? x[i] : 0;
  if (i < n) y[i] = s[255 - threadIdx.x];
}
void launch(const float *x, float *y, int n) { reverse<<<(n + 255) / 256, 256>>>(x, y, n); }
torch::Tensor reversed(torch::Tensor x) {
  auto y = torch::empty_like(x);
  launch(x.data_ptr<float>(), y.data_ptr<float>(), x.numel());
  return y;
}
