// elu: y = x > 0 ? x : alpha * (exp(x) - 1)
#include "runner/ops/operators/Elementwise.h"

using namespace kcheck::ops;

static void reference(Call &C) {
  double A = C.attr("alpha");
  mapUnary(C, [A](double X) { return X > 0 ? X : A * std::expm1(X); });
}

static Operator make() {
  Operator O = unaryOperator("elu", "y = x > 0 ? x : alpha * (exp(x) - 1)", reference, smoothDraws());
  O.Args.insert(O.Args.end() - 1, attr("alpha", 1.0, {"a"}));
  return O;
}

static const Registration R(make());
