// leaky_relu: y = x > 0 ? x : alpha * x
#include "runner/ops/operators/Elementwise.h"

using namespace kcheck::ops;

static void reference(Call &C) {
  double A = C.attr("alpha");
  mapUnary(C, [A](double X) { return X > 0 ? X : A * X; });
}

static Operator make() {
  Operator O = unaryOperator("leaky_relu", "y = x > 0 ? x : alpha * x", reference, smoothDraws());
  O.Args.insert(O.Args.end() - 1, attr("alpha", 0.01, {"negative_slope", "slope"}));
  return O;
}

static const Registration R(make());
