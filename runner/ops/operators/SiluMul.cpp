// silu_mul: out = silu(a) * b (swiglu)
#include "runner/ops/operators/Elementwise.h"

using namespace kcheck::ops;

static void reference(Call &C) {
  mapBinary(C, [](double A, double B, double &Terms) {
    double V = A / (1 + std::exp(-A)) * B;
    Terms = std::fabs(V);
    return V;
  });
}

static const Registration R(binaryOperator("silu_mul", "out = silu(a) * b (swiglu)", reference, smoothDraws()));
