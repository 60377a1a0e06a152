// tanh: y = tanh(x)
#include "runner/ops/operators/Elementwise.h"

using namespace kcheck::ops;

static void reference(Call &C) {
  mapUnary(C, [](double X) { return std::tanh(X); });
}

static const Registration R(unaryOperator("tanh", "y = tanh(x)", reference));
