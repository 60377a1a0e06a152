// hardswish: y = x * min(max(x + 3, 0), 6) / 6
#include "runner/ops/operators/Elementwise.h"

using namespace kcheck::ops;

static void reference(Call &C) {
  mapUnary(C, [](double X) { return X * std::fmin(std::fmax(X + 3, 0), 6) / 6; });
}

static const Registration R(unaryOperator("hardswish", "y = x * min(max(x + 3, 0), 6) / 6", reference, smoothDraws()));
