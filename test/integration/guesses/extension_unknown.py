# NOT_RUN: softmax
import torch
from torch.utils.cpp_extension import load_inline

source = '''
#include <torch/extension.h>
__global__ void twice(const float *x, float *y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = 2.0f * x[i];
}
torch::Tensor run(torch::Tensor x) {
    auto p = x.softmax(-1);
    auto y = torch::empty_like(p);
    twice<<<(p.numel() + 255) / 256, 256>>>(p.data_ptr<float>(), y.data_ptr<float>(), p.numel());
    return y;
}
'''
e = load_inline(name="e", cpp_sources="torch::Tensor run(torch::Tensor x);", cuda_sources=source, functions=["run"])
