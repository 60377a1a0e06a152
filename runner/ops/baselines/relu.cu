// Baseline of relu.
#include "baseline.cuh"

struct Fn {
  template <typename V> __device__ V operator()(V x) const { return x > V(0) ? x : V(0); }
};

void launch_relu(const T *x, T *y, int n) { runOne(x, y, n, Fn()); }
