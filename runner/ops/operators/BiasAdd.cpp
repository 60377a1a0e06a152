// bias_add, bias_relu, bias_gelu: y[r, c] = f(x[r, c] + bias[c])
#include "runner/ops/operators/Gelu.h"
#include "runner/ops/operators/Rows.h"

using namespace kcheck::ops;

template <typename Fn> static void biased(Call &C, Fn F) {
  const double *X = C.in("x"), *Bias = C.in("bias");
  double *Y = C.out("y"), *S = C.terms("y", 2);
  int64_t Cols = C.dim("cols");
  eachRow(C, [&](int64_t R) {
    for (int64_t I = 0; I < Cols; ++I) {
      Y[R * Cols + I] = F(X[R * Cols + I] + Bias[I]);
      S[R * Cols + I] = std::fabs(X[R * Cols + I]) + std::fabs(Bias[I]);
    }
  });
}

static void add(Call &C) {
  biased(C, [](double V) { return V; });
}
static void relu(Call &C) {
  biased(C, [](double V) { return V > 0 ? V : 0.0; });
}
static void gelu(Call &C) {
  bool Tanh = C.Variant == "tanh";
  biased(C, [Tanh](double V) { return Tanh ? geluTanh(V) : geluErf(V); });
}

static Operator make(std::string Name, std::string Summary, void (*F)(Call &), std::vector<std::string> Variants = {}) {
  Operator O = rowOperator(std::move(Name), std::move(Summary), F);
  O.Args.insert(O.Args.begin() + 1, in("bias", "cols").alias({"b"}));
  O.Variants = std::move(Variants);
  return O;
}

static const Registration R1(make("bias_add", "y[r, c] = x[r, c] + bias[c]", add));
static const Registration R2(make("bias_relu", "y[r, c] = max(x[r, c] + bias[c], 0)", relu));
static const Registration R3(make("bias_gelu", "y[r, c] = gelu(x[r, c] + bias[c])", gelu, {"erf", "tanh"}));
