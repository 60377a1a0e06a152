// relu: y = max(x, 0)
#include "runner/ops/operators/Elementwise.h"

using namespace kcheck::ops;

static void reference(Call &C) {
  mapUnary(C, [](double X) { return X > 0 ? X : 0.0; });
}

static const Registration R(unaryOperator("relu", "y = max(x, 0)", reference, allDraws(/*Nan=*/false), TypeClass::Any));
