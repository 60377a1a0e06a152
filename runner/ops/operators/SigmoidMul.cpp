// sigmoid_mul: out = sigmoid(a) * b
#include "runner/ops/operators/Elementwise.h"

using namespace kcheck::ops;

static void reference(Call &C) {
  mapBinary(C, [](double A, double B, double &Terms) {
    double V = B / (1 + std::exp(-A));
    Terms = std::fabs(V);
    return V;
  });
}

static const Registration R(binaryOperator("sigmoid_mul", "out = sigmoid(a) * b", reference, smoothDraws()));
