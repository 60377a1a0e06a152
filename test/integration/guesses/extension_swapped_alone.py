# WANT: out_of_bounds_global
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

source = """
#include <torch/extension.h>
__global__ void mm_kernel(const float* A, const float* B, float* C, int M, int K, int N) {
    int row = blockIdx.y * 16 + threadIdx.y;
    int col = blockIdx.x * 16 + threadIdx.x;
    if (row < N && col < M) {
        float s = 0.0f;
        for (int k = 0; k < K; ++k) s += A[row * K + k] * B[k * N + col];
        C[row * N + col] = s;
    }
}
torch::Tensor mm_cuda(torch::Tensor A, torch::Tensor B) {
    int M = A.size(0), K = A.size(1), N = B.size(1);
    auto C = torch::empty({M, N}, A.options());
    dim3 grid((N + 15) / 16, (M + 15) / 16), block(16, 16);
    mm_kernel<<<grid, block>>>(A.data_ptr<float>(), B.data_ptr<float>(), C.data_ptr<float>(), M, K, N);
    return C;
}
"""
mm = load_inline(name="mm", cpp_sources="torch::Tensor mm_cuda(torch::Tensor A, torch::Tensor B);", cuda_sources=source, functions=["mm_cuda"])

M = 1024
K = 4096
N = 2048

class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.mm = mm
    def forward(self, A, B):
        A = A.contiguous()
        return self.mm.mm_cuda(A, B.contiguous())

