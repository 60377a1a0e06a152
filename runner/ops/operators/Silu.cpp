// silu: y = x * sigmoid(x). No infinities among the inputs: the formula gives NaN at -infinity, a guarded kernel 0.
#include "runner/ops/operators/Elementwise.h"

using namespace kcheck::ops;

static void reference(Call &C) {
  mapUnary(C, [](double X) { return X / (1 + std::exp(-X)); });
}

static std::vector<Draw> draws() {
  auto D = smoothDraws();
  D.insert(D.end(), {{"denormal", 0, 1}, {"uniform", -20, 20}});
  return D;
}

static const Registration R(unaryOperator("silu", "y = x / (1 + exp(-x))", reference, draws()));
