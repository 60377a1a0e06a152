// mul: out = a * b
#include "runner/ops/operators/Elementwise.h"

using namespace kcheck::ops;

static void reference(Call &C) {
  mapBinary(C, [](double A, double B, double &Terms) {
    Terms = std::fabs(A * B);
    return A * B;
  });
}

static const Registration R(binaryOperator("mul", "out = a * b", reference, smoothDraws(), TypeClass::Any));
