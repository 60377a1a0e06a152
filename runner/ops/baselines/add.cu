// Baseline of add.
#include "baseline.cuh"

struct Fn {
  template <typename V> __device__ V operator()(V a, V b) const { return a + b; }
};

void launch_add(const T *a, const T *b, T *out, int n) { runTwo(a, b, out, n, Fn()); }
