// RUN: %kcheck_test --rules sync,index-space,compile --hosts kcheck %s
// REQUIRES: cuda
// Launches that nothing in the file makes happen: in templates that nobody instantiates, under macros of a header that is not there.
#include <ATen/ATen.h>
#include "dispatch_of_another_project.h" // expect: review missing_header

template <class T> __global__ void scaleBad(const T *x, T *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = x[i] * T(2);
    __syncthreads(); // expect: reject barrier_divergence
  }
}
template <class T> __global__ void scaleOk(const T *x, T *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[i] * T(2);
}
template <class T> __global__ void scaleUnguardedBad(const T *x, T *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i] * T(2); // expect: reject missing_bounds_guard
}
template <class T> void launchScale(const T *x, T *y, int n) {
  scaleBad<T><<<(n + 255) / 256, 256>>>(x, y, n);
  scaleOk<T><<<(n + 255) / 256, 256>>>(x, y, n);
  scaleUnguardedBad<<<(n + 255) / 256, 256>>>(x, y, n);
}

// Whose size of a block is a number that we choose: a doubt.
template <class T, int Block> __global__ void turnBad(T *x, int n) {
  __shared__ T t[Block];
  int i = blockIdx.x * Block + threadIdx.x;
  t[threadIdx.x] = i < n ? x[i] : T(0);
  if (i < n) {
    __syncthreads(); // expect: review barrier_divergence
    x[i] = t[Block - 1 - threadIdx.x];
  }
}
template <int Block, class T> void launchTurn(T *x, int n) { turnBad<T, Block><<<(n + Block - 1) / Block, Block>>>(x, n); }

// A caller says what it is called with.
template <class T> __global__ void halfOk(T *x, int n) {
  if (threadIdx.x < n)
    x[threadIdx.x] = T(0);
  __syncthreads();
}
template <class T> void launchHalf(T *x, int n, int block) { halfOk<<<1, block>>>(x, n); }
template <class T> void clearAll(T *x, int n) { launchHalf<T>(x, n, 128); }

// What takes no number as its type is left alone: nobody knows what runs.
template <class Op> __global__ void applyOk(Op op, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    op.run(i);
}
template <class Op> void launchApply(Op op, int n) { applyOk<<<(n + 255) / 256, 256>>>(op, n); }

template <class T> __global__ void shiftBad(const T *x, T *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = x[i] + T(2);
    __syncthreads(); // expect: reject barrier_divergence
  }
}
void shift(at::Tensor x, at::Tensor y) {
  int n = x.numel();
  PROJECT_DISPATCH(x.scalar_type(), "shift", [&] { shiftBad<scalar_t><<<(n + 255) / 256, 256>>>(x.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), n); });
}
template <class T, class U> __global__ void castBad(const T *x, U *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    y[i] = U(x[i]);
    __syncthreads(); // expect: reject barrier_divergence
  }
}
template <class T, class U> __global__ void castOk(const T *x, U *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = U(x[i]);
  __syncthreads();
}
void cast(at::Tensor x, at::Tensor y) {
  int n = x.numel();
  PROJECT_TYPES(x.scalar_type(), 0, "cast", PROJECT_TYPES(y.scalar_type(), 1, "cast", castBad<in_t_0, in_t_1><<<(n + 255) / 256, 256>>>(x.data_ptr<in_t_0>(), y.data_ptr<in_t_1>(), n);
                                                          castOk<in_t_0, in_t_1><<<(n + 255) / 256, 256>>>(x.data_ptr<in_t_0>(), y.data_ptr<in_t_1>(), n);))
}
