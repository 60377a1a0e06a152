// Baseline of hardswish.
#include "baseline.cuh"

struct Fn {
  template <typename V> __device__ V operator()(V x) const { return x * fmin(fmax(x + V(3), V(0)), V(6)) / V(6); }
};

void launch_hardswish(const T *x, T *y, int n) { runOne(x, y, n, Fn()); }
