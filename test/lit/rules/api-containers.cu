// RUN: %kcheck_test --rules api --hosts kcheck %s
// REQUIRES: cuda
// Containers of the host.
#include <array>
#include <cuda_runtime.h>
#include <vector>

void copiesBad(float *d, const std::vector<float> &taps) {
  cudaMemcpy(d, taps.data(), sizeof(taps), cudaMemcpyHostToDevice); // expect: reject memcpy_size
}
void copiesOk(float *d, const std::vector<float> &taps, const std::array<float, 16> &few) {
  cudaMemcpy(d, taps.data(), taps.size() * sizeof(float), cudaMemcpyHostToDevice);
  cudaMemcpy(d, few.data(), sizeof(few), cudaMemcpyHostToDevice);
}
