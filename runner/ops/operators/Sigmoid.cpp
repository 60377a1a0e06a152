// sigmoid: y = 1 / (1 + exp(-x))
#include "runner/ops/operators/Elementwise.h"

using namespace kcheck::ops;

static void reference(Call &C) {
  mapUnary(C, [](double X) { return 1 / (1 + std::exp(-X)); });
}

static const Registration R(unaryOperator("sigmoid", "y = 1 / (1 + exp(-x))", reference));
