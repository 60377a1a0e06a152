// Baseline of copy.
#include "baseline.cuh"

struct Fn {
  template <typename V> __device__ V operator()(V x) const { return x; }
};

void launch_copy(const T *x, T *y, int n) { runOne(x, y, n, Fn()); }
