// copy: y = x
#include "runner/ops/operators/Elementwise.h"

using namespace kcheck::ops;

static void reference(Call &C) {
  mapUnary(C, [](double X) { return X; });
}

static const Registration R(unaryOperator("copy", "y = x", reference, allDraws(), TypeClass::Any));
