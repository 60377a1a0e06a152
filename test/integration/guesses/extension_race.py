# WANT: race_shared uninitialised_read
import torch
from torch.utils.cpp_extension import load_inline

source = r'''
#include <torch/extension.h>
__global__ void row_max(const float *x, float *y, int cols) {
    __shared__ float part[128];
    float m = -1e30f;
    for (int c = threadIdx.x; c < cols; c += 128)
        m = fmaxf(m, x[blockIdx.x * cols + c]);
    part[threadIdx.x] = m;
    for (int s = 64; s > 0; s >>= 1) {
        if (threadIdx.x < s)
            part[threadIdx.x] = fmaxf(part[threadIdx.x], part[threadIdx.x + s]);
        __syncthreads();
    }
    if (threadIdx.x == 0)
        y[blockIdx.x] = part[0];
}
torch::Tensor row_max_cuda(torch::Tensor x) {
    TORCH_CHECK(x.dim() == 2, "rows");
    auto y = torch::empty({x.size(0)}, x.options());
    row_max<<<x.size(0), 128>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.size(1));
    return y;
}
'''
e = load_inline(name="e", cpp_sources="torch::Tensor row_max_cuda(torch::Tensor x);", cuda_sources=source, functions=["row_max_cuda"])
