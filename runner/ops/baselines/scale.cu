// Baseline of scale.
#include "baseline.cuh"

struct Fn {
  float a;
  template <typename V> __device__ V operator()(V x) const { return V(a) * x; }
};

void launch_scale(const T *x, T *y, float factor, int n) { runOne(x, y, n, Fn{factor}); }
