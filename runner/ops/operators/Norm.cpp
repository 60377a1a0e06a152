// layernorm and rmsnorm along the rows. The sums behind mean and deviation round: where a row is nearly constant
// the factor 1 / deviation magnifies that, and S says by how much.
#include "runner/ops/operators/Rows.h"

using namespace kcheck::ops;

static double meanOf(const double *X, int64_t N) {
  double Sum = 0;
  for (int64_t I = 0; I < N; ++I)
    Sum += X[I];
  return Sum / double(N);
}

static void layernorm(Call &C) {
  const double *X = C.in("x");
  const double *G = C.has("gamma") ? C.in("gamma") : nullptr, *B = C.has("beta") ? C.in("beta") : nullptr;
  int64_t Cols = C.dim("cols");
  double Eps = C.attr("eps"), *Y = C.out("y"), *S = C.terms("y", double(Cols));
  eachRow(C, [&](int64_t R) {
    const double *Row = X + R * Cols;
    double Mean = meanOf(Row, Cols), Var = 0, Size = 0;
    for (int64_t I = 0; I < Cols; ++I) {
      Var += (Row[I] - Mean) * (Row[I] - Mean);
      Size += std::fabs(Row[I]);
    }
    Size /= double(Cols);
    double Inverse = 1 / std::sqrt(Var / double(Cols) + Eps);
    for (int64_t I = 0; I < Cols; ++I) {
      double Gamma = G ? G[I] : 1, Beta = B ? B[I] : 0;
      double Unit = (Row[I] - Mean) * Inverse;
      Y[R * Cols + I] = Unit * Gamma + Beta;
      S[R * Cols + I] = std::fabs(Gamma) * (Inverse * (std::fabs(Row[I]) + Size) + std::fabs(Unit)) + std::fabs(Beta);
    }
  });
}

static void rmsnorm(Call &C) {
  const double *X = C.in("x"), *W = C.has("weight") ? C.in("weight") : nullptr;
  int64_t Cols = C.dim("cols");
  double Eps = C.attr("eps"), *Y = C.out("y");
  C.terms("y", double(Cols));
  double *S = C.Out.at("y").Terms.data();
  eachRow(C, [&](int64_t R) {
    const double *Row = X + R * Cols;
    double Squares = 0;
    for (int64_t I = 0; I < Cols; ++I)
      Squares += Row[I] * Row[I];
    double Inverse = 1 / std::sqrt(Squares / double(Cols) + Eps);
    for (int64_t I = 0; I < Cols; ++I) {
      Y[R * Cols + I] = Row[I] * Inverse * (W ? W[I] : 1);
      S[R * Cols + I] = std::fabs(Y[R * Cols + I]);
    }
  });
}

static Operator makeLayernorm() {
  Operator O = rowOperator("layernorm", "y = (x - mean) / sqrt(var + eps) * gamma + beta, along the rows", layernorm);
  O.Args = {in("x", "rows,cols"), in("gamma", "cols").alias({"weight", "w", "g", "scale"}).optional(),
            in("beta", "cols").alias({"bias", "b", "shift"}).optional(), out("y", "rows,cols"), rowsDim(), colsDim(),
            attr("eps", 1e-5, {"epsilon"}).absent({1e-5, 1e-6, 1e-8, 1e-12})};
  O.Draws.push_back({"normal", 3, 2});
  for (Dims &D : O.Shapes)
    D["rows"] = std::max<int64_t>(1, D["rows"] / 2);
  O.Least = {{"cols", 1}};
  return O;
}

static Operator makeRmsnorm() {
  Operator O = rowOperator("rmsnorm", "y = x / sqrt(mean(x * x) + eps) * weight, along the rows", rmsnorm);
  O.Args = {in("x", "rows,cols"), in("weight", "cols").alias({"w", "gamma", "g", "scale"}).optional(), out("y", "rows,cols"),
            rowsDim(), colsDim(), attr("eps", 1e-5, {"epsilon"}).absent({1e-5, 1e-6, 1e-8, 1e-12})};
  O.Least = {{"cols", 1}};
  return O;
}

static const Registration R1(makeLayernorm());
static const Registration R2(makeRmsnorm());
