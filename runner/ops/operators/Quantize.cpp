// quantize: q = clamp(round(x / scale) + zero_point) in the range of q's type; dequantize: y = (q - zero_point) * scale.
#include "runner/ops/operators/Elementwise.h"

using namespace kcheck::ops;

static double clampTo(DType T, double V) { return std::fmin(std::fmax(V, T == DType::U8 ? 0 : -128), T == DType::U8 ? 255 : 127); }

static double exact(const Call &C, int64_t I) { return C.in("x")[I] / C.attr("scale") + C.attr("zero_point"); }

static void quantize(Call &C) {
  double *Q = C.out("q");
  DType T = C.Out.at("q").Type;
  for (int64_t I = 0; I < C.dim("n"); ++I)
    Q[I] = clampTo(T, std::nearbyint(exact(C, I)));
}

/// At .5 kernels round up, to even or away from zero, and x / scale may itself be an ulp off: all are right.
static bool accept(const Call &C, const std::string &, int64_t I, double Got) {
  DType T = C.Out.at("q").Type;
  double E = exact(C, I), Slack = 0.5 + 1e-5 * (1 + std::fabs(E));
  return Got == clampTo(T, Got) && std::fabs(Got - clampTo(T, E)) <= Slack;
}

static void dequantize(Call &C) {
  const double *Q = C.in("q");
  double Scale = C.attr("scale"), Zero = C.attr("zero_point"), *Y = C.out("y"), *S = C.terms("y", 2);
  for (int64_t I = 0; I < C.dim("n"); ++I) {
    Y[I] = (Q[I] - Zero) * Scale;
    S[I] = (std::fabs(Q[I]) + std::fabs(Zero)) * std::fabs(Scale);
  }
}

static Operator makeQuantize() {
  Operator O = unaryOperator("quantize", "q = clamp(round(x / scale) + zero_point)", quantize);
  O.Args = {in("x", "n").alias({"input", "in", "src"}), out("q", "n", TypeClass::Integer).usual(DType::I8).alias({"out", "output", "y", "dst"}), attr("scale", 0.05, {"s"}),
            attr("zero_point", 3, {"zp", "zero"}).absent({0}), flatDim()};
  O.Draws = {{"normal", 0, 1}, {"uniform", -8, 8}, {"constant", 0.5, 0}, {"zero", 0, 0}};
  O.Accept = accept;
  return O;
}

static Operator makeDequantize() {
  Operator O = unaryOperator("dequantize", "y = (q - zero_point) * scale", dequantize);
  O.Args = {in("q", "n", TypeClass::Integer).usual(DType::I8).alias({"x", "input", "in", "src"}), out("y", "n").alias({"out", "output", "x", "dst"}), attr("scale", 0.05, {"s"}),
            attr("zero_point", 3, {"zp", "zero"}).absent({0}), flatDim()};
  O.Draws = {{"uniform", 0, 100}, {"normal", 0, 1}, {"constant", 7, 0}, {"zero", 0, 0}};
  return O;
}

static const Registration R1(makeQuantize());
static const Registration R2(makeDequantize());
