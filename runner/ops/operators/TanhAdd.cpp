// tanh_add: out = tanh(a) + b
#include "runner/ops/operators/Elementwise.h"

using namespace kcheck::ops;

static void reference(Call &C) {
  mapBinary(C, [](double A, double B, double &Terms) {
    double T = std::tanh(A);
    Terms = std::fabs(T) + std::fabs(B);
    return T + B;
  });
}

static const Registration R(binaryOperator("tanh_add", "out = tanh(a) + b", reference));
