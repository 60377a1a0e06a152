// abs: y = |x|
#include "runner/ops/operators/Elementwise.h"

using namespace kcheck::ops;

static void reference(Call &C) {
  mapUnary(C, [](double X) { return std::fabs(X); });
}

static const Registration R(unaryOperator("abs", "y = |x|", reference));
