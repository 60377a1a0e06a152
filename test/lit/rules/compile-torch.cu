// RUN: %kcheck_test --rules compile,sync --hosts kcheck %s
// REQUIRES: cuda
// What an extension takes from torch's headers beside tensors, and what nvcc itself includes.
#include <ATen/ATen.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/NumericLimits.cuh>
#include <c10/cuda/CUDACachingAllocator.h>

struct Workspace {
  explicit Workspace(size_t size) : held(c10::cuda::CUDACachingAllocator::get()->allocate(size)) {}
  c10::DataPtr held;
};

template <class T> __device__ T keptFrom(T x, double least) {
  const T bound = T(least);
  assert(bound > 0);
  return x < bound || x == T(0) ? bound : x;
}
template <class T> __global__ void clampBad(const T *x, T *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = keptFrom(x[i], 1e-5);
    __syncthreads(); // expect: reject barrier_divergence
  } else {
    y[n] = -at::numeric_limits<T>::max();
  }
}
void launchClamp(at::Tensor x, at::Tensor y) {
  Workspace space(torch::numel(x));
  long began = time(nullptr);
  int n = x.numel();
  AT_DISPATCH_ALL_TYPES_AND_COMPLEX_AND2(at::kHalf, at::kBFloat16, x.scalar_type(), "clamp", [&] { (void)sizeof(scalar_t); });
  clampBad<at::Half><<<(n + 255) / 256, 256>>>(x.data_ptr<at::Half>(), y.data_ptr<at::Half>(), n);
  printf("%ld\n", time(nullptr) - began);
}

// Operators that are met rarely are there too.
at::Tensor rareOperatorsOk(const at::Tensor &x, at::Tensor &y) {
  y.true_divide_(x).masked_fill_(x.isfinite().logical_not(), 0);
  return x.bernoulli().maximum(y).floor_divide(y.log1p());
}
