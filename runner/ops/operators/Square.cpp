// square: y = x * x
#include "runner/ops/operators/Elementwise.h"

using namespace kcheck::ops;

static void reference(Call &C) {
  mapUnary(C, [](double X) { return X * X; });
}

static const Registration R(unaryOperator("square", "y = x * x", reference, smoothDraws(), TypeClass::Any));
