// exp: y = exp(x)
#include "runner/ops/operators/Elementwise.h"

using namespace kcheck::ops;

static void reference(Call &C) {
  mapUnary(C, [](double X) { return std::exp(X); });
}

static const Registration R(unaryOperator("exp", "y = exp(x)", reference, smoothDraws()));
