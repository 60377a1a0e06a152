// add_relu: out = max(a + b, 0). No infinities: inf - inf is NaN, and fmaxf turns that into 0.
#include "runner/ops/operators/Elementwise.h"

using namespace kcheck::ops;

static void reference(Call &C) {
  mapBinary(C, [](double A, double B, double &Terms) {
    Terms = std::fabs(A) + std::fabs(B);
    double Sum = A + B;
    return Sum > 0 ? Sum : 0.0;
  });
}

static std::vector<Draw> draws() {
  auto D = smoothDraws();
  D.insert(D.end(), {{"denormal", 0, 1}, {"extreme", 0, 1}});
  return D;
}

static const Registration R(binaryOperator("add_relu", "out = max(a + b, 0)", reference, draws()));
