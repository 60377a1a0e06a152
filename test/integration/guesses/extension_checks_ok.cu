// WANT:
// Sizes, types and ranks that only the checks tell.
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>

template <typename scalar_t>
__global__ void scale_channels(const scalar_t *__restrict__ x, const float *__restrict__ scale, const long *__restrict__ map, scalar_t *__restrict__ y, int C, int HW, int total) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < total) {
    int c = i / HW % C;
    y[i] = scalar_t(float(x[i]) * scale[map[c]]);
  }
}

torch::Tensor scale(torch::Tensor x, const at::Tensor &scale, torch::Tensor map, double gain, int64_t groups = 1) {
  TORCH_CHECK(x.is_cuda() && x.dim() == 4, "x is [N, C, H, W]");
  TORCH_CHECK(scale.dim() == 1 && scale.size(0) == x.size(1), "a scale for each channel");
  TORCH_CHECK(map.scalar_type() == at::kLong && map.numel() == x.size(1), "a place for each channel");
  TORCH_CHECK(x.size(3) % 4 == 0 && x.scalar_type() == torch::kHalf, "packets");
  if (x.size(1) % groups != 0)
    throw std::invalid_argument("groups");
  const c10::cuda::CUDAGuard guard(x.device());
  auto in = x.contiguous();
  auto y = torch::empty_like(in);
  const int total = in.numel(), C = in.size(1), HW = in.size(2) * in.size(3);
  AT_DISPATCH_FLOATING_TYPES_AND_HALF(in.scalar_type(), "scale", [&] {
    scale_channels<scalar_t><<<(total + 255) / 256, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
        in.data_ptr<scalar_t>(), scale.data_ptr<float>(), map.data_ptr<int64_t>(), y.data_ptr<scalar_t>(), C, HW, total);
  });
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y.view({x.size(0), -1});
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("scale", &scale, "scale"); }
