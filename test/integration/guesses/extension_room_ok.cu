// WANT:
// Nothing says how long weight and bias are, nor that the places of a permutation differ.
#include <torch/extension.h>

__global__ void depthwise(const float *x, const float *weight, const float *bias, const int *order, float *y, int N, int C, int L, int K) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= N * C * L)
    return;
  int l = i % L, c = i / L % C;
  float s = bias[c];
  for (int k = 0; k < K; ++k)
    for (int j = 0; j < K; ++j)
      s += l + j < L ? x[i + j] * weight[(c * K + k) * K + j] : 0.0f;
  y[(i / L / C * C + order[c]) * L + l] = s;
}

at::Tensor run(at::Tensor x, at::Tensor weight, at::Tensor bias, at::Tensor order) {
  const int N = x.size(0), C = x.size(1), L = x.size(2), K = weight.size(2);
  auto y = at::zeros_like(x);
  depthwise<<<(x.numel() + 127) / 128, 128>>>(x.data_ptr<float>(), weight.data_ptr<float>(), bias.data_ptr<float>(), order.data_ptr<int>(), y.data_ptr<float>(), N, C, L, K);
  return y;
}
