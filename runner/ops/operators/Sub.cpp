// sub: out = a - b
#include "runner/ops/operators/Elementwise.h"

using namespace kcheck::ops;

static void reference(Call &C) {
  mapBinary(C, [](double A, double B, double &Terms) {
    Terms = std::fabs(A) + std::fabs(B);
    return A - B;
  });
}

static const Registration R(binaryOperator("sub", "out = a - b", reference, allDraws(), TypeClass::Any));
