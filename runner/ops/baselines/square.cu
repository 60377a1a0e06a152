// Baseline of square.
#include "baseline.cuh"

struct Fn {
  template <typename V> __device__ V operator()(V x) const { return x * x; }
};

void launch_square(const T *x, T *y, int n) { runOne(x, y, n, Fn()); }
