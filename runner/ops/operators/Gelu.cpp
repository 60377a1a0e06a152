// gelu: y = x * Phi(x), by erf, or by the tanh approximation that many models were trained with. Both are right.
#include "runner/ops/operators/Elementwise.h"
#include "runner/ops/operators/Gelu.h"

using namespace kcheck::ops;

static void reference(Call &C) {
  bool Tanh = C.Variant == "tanh";
  mapUnary(C, [Tanh](double X) { return Tanh ? geluTanh(X) : geluErf(X); });
}

static std::vector<Draw> draws() {
  auto D = smoothDraws();
  D.insert(D.end(), {{"denormal", 0, 1}, {"uniform", -12, 12}});
  return D;
}

static Operator make() {
  Operator O = unaryOperator("gelu", "y = x * Phi(x), by erf or the tanh approximation", reference, draws());
  O.Variants = {"erf", "tanh"};
  return O;
}

static const Registration R(make());
