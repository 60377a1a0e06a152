// Baseline of softplus.
#include "baseline.cuh"

struct Fn {
  template <typename V> __device__ V operator()(V x) const { return x > V(20) ? x : log1p(exp(x)); }
};

void launch_softplus(const T *x, T *y, int n) { runOne(x, y, n, Fn()); }
