// softplus: y = log(1 + exp(x))
#include "runner/ops/operators/Elementwise.h"

using namespace kcheck::ops;

static void reference(Call &C) {
  mapUnary(C, [](double X) { return X > 30 ? X : std::log1p(std::exp(X)); });
}

static const Registration R(unaryOperator("softplus", "y = log(1 + exp(x))", reference, smoothDraws()));
