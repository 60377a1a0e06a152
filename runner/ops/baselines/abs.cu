// Baseline of abs.
#include "baseline.cuh"

struct Fn {
  template <typename V> __device__ V operator()(V x) const { return fabs(x); }
};

void launch_abs(const T *x, T *y, int n) { runOne(x, y, n, Fn()); }
