// Baseline of conv1d_single: the inputs of 256 outputs and the filter in shared memory where the filter fits.
#include "baseline.cuh"

constexpr int MostK = 2048;

__global__ void conv(const T *__restrict__ x, const T *__restrict__ w, T *__restrict__ y, int n, int k) {
  __shared__ Acc window[256 + MostK];
  int first = blockIdx.x * 256, i = first + threadIdx.x, outputs = n - k + 1;
  for (int t = threadIdx.x; t < 256 + k - 1; t += 256)
    window[t] = first + t < n ? Acc(widen(x[first + t])) : Acc(0);
  __syncthreads();
  if (i >= outputs)
    return;
  Acc sum = 0;
  for (int t = 0; t < k; ++t)
    sum += window[threadIdx.x + t] * Acc(widen(w[t]));
  y[i] = narrow(sum);
}

__global__ void convLong(const T *__restrict__ x, const T *__restrict__ w, T *__restrict__ y, int n, int k) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i >= n - k + 1)
    return;
  Acc sum = 0;
  for (int t = 0; t < k; ++t)
    sum += Acc(widen(x[i + t])) * Acc(widen(w[t]));
  y[i] = narrow(sum);
}

void launch_conv1d_single(const T *x, const T *w, T *y, int n, int k) {
  int outputs = n - k + 1;
  if (outputs <= 0)
    return;
  if (k <= MostK)
    conv<<<(outputs + 255) / 256, 256>>>(x, w, y, n, k);
  else
    convLong<<<(outputs + 255) / 256, 256>>>(x, w, y, n, k);
}
