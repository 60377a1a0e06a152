// scale: y = factor * x
#include "runner/ops/operators/Elementwise.h"

using namespace kcheck::ops;

static void reference(Call &C) {
  double A = C.attr("factor");
  mapUnary(C, [A](double X) { return A * X; });
}

static Operator make() {
  Operator O = unaryOperator("scale", "y = factor * x", reference, smoothDraws());
  O.Args.insert(O.Args.end() - 1, attr("factor", 1.5, {"scale", "alpha", "s", "k", "f"}));
  return O;
}

static const Registration R(make());
