// Baseline of add_relu.
#include "baseline.cuh"

struct Fn {
  template <typename V> __device__ V operator()(V a, V b) const { return a + b > V(0) ? a + b : V(0); }
};

void launch_add_relu(const T *a, const T *b, T *out, int n) { runTwo(a, b, out, n, Fn()); }
