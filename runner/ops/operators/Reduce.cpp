// reduce_sum, reduce_max, reduce_mean over a whole vector; row_sum, row_max, row_mean along the rows; dot; mse_loss.
#include "runner/ops/operators/Elementwise.h"
#include "runner/ops/operators/Rows.h"

using namespace kcheck::ops;

namespace {

enum class Kind { Sum, Max, Mean };

void reduceRun(const double *X, int64_t N, Kind K, double &Y, double &S) {
  double Sum = 0, Size = 0, Max = -HUGE_VAL;
  for (int64_t I = 0; I < N; ++I) {
    Sum += X[I];
    Size += std::fabs(X[I]);
    Max = X[I] > Max ? X[I] : Max;
  }
  double Scale = K == Kind::Mean ? 1.0 / double(N) : 1.0;
  Y = K == Kind::Max ? Max : Sum * Scale;
  S = K == Kind::Max ? 0 : Size * Scale;
}

template <Kind K> void whole(Call &C) {
  double *S = C.terms("y", K == Kind::Max ? 1 : double(C.dim("n")));
  reduceRun(C.in("x"), C.dim("n"), K, C.out("y")[0], S[0]);
}

template <Kind K> void rows(Call &C) {
  int64_t Cols = C.dim("cols");
  double *S = C.terms("y", K == Kind::Max ? 1 : double(Cols)), *Y = C.out("y");
  const double *X = C.in("x");
  eachRow(C, [&](int64_t R) { reduceRun(X + R * Cols, Cols, K, Y[R], S[R]); });
}

template <Kind K> void columns(Call &C) {
  int64_t Rows = C.dim("rows"), Cols = C.dim("cols");
  double *S = C.terms("y", K == Kind::Max ? 1 : double(Rows)), *Y = C.out("y");
  const double *X = C.in("x");
  std::vector<double> Column(size_t(Rows), 0.0);
  for (int64_t I = 0; I < Cols; ++I) {
    for (int64_t R = 0; R < Rows; ++R)
      Column[R] = X[R * Cols + I];
    reduceRun(Column.data(), Rows, K, Y[I], S[I]);
  }
}

void dot(Call &C) {
  const double *A = C.in("a"), *B = C.in("b");
  double *S = C.terms("out", double(C.dim("n"))), Sum = 0;
  for (int64_t I = 0; I < C.dim("n"); ++I) {
    Sum += A[I] * B[I];
    S[0] += std::fabs(A[I] * B[I]);
  }
  C.out("out")[0] = Sum;
}

void mse(Call &C) {
  const double *A = C.in("a"), *B = C.in("b");
  double Sum = 0;
  for (int64_t I = 0; I < C.dim("n"); ++I)
    Sum += (A[I] - B[I]) * (A[I] - B[I]);
  *C.terms("out", double(C.dim("n"))) = Sum / double(C.dim("n"));
  C.out("out")[0] = Sum / double(C.dim("n"));
}

std::vector<Draw> draws(Kind K) {
  auto D = smoothDraws();
  if (K == Kind::Max)
    D.insert(D.end(), {{"extreme", 0, 1}, {"uniform", -9, -8}, {"inf", 0, 1}});
  else
    D.insert(D.end(), {{"uniform", 0, 1}, {"nan_inf", 0, 1}});
  return D;
}

std::vector<std::string> resultNames() { return {"out", "output", "result", "sum", "res", "o"}; }

Operator makeWhole(std::string Name, std::string Formula, void (*F)(Call &), Kind K, std::vector<std::string> Else) {
  Operator O = unaryOperator(std::move(Name), std::move(Formula), F, draws(K), K == Kind::Mean ? TypeClass::Float : TypeClass::Any);
  O.Args[1] = out("y", "1", O.Args[0].Types).alias(resultNames());
  if (K != Kind::Sum)
    O.Least = {{"n", 1}};
  O.Else = std::move(Else);
  return O;
}

Operator makeRows(std::string Name, std::string Formula, void (*F)(Call &), Kind K, bool Columns = false) {
  Operator O = rowOperator(std::move(Name), std::move(Formula), F);
  O.Args[1] = out("y", Columns ? "cols" : "rows").alias(resultNames());
  O.Draws = draws(K);
  if (K != Kind::Sum)
    O.Least = {{Columns ? "rows" : "cols", 1}};
  return O;
}

Operator makePair(std::string Name, std::string Formula, void (*F)(Call &)) {
  Operator O = binaryOperator(std::move(Name), std::move(Formula), F, smoothDraws());
  O.Args[2] = out("out", "1").alias({"result", "res", "y", "loss"});
  return O;
}

const Registration R1(makeWhole("reduce_sum", "y = sum of x", whole<Kind::Sum>, Kind::Sum, {"row_sum"}));
const Registration R2(makeWhole("reduce_max", "y = max of x", whole<Kind::Max>, Kind::Max, {"row_max"}));
const Registration R3(makeWhole("reduce_mean", "y = mean of x", whole<Kind::Mean>, Kind::Mean, {"row_mean"}));
const Registration R4(makeRows("row_sum", "y[r] = sum of x[r, :]", rows<Kind::Sum>, Kind::Sum));
const Registration R5(makeRows("row_max", "y[r] = max of x[r, :]", rows<Kind::Max>, Kind::Max));
const Registration R6(makeRows("row_mean", "y[r] = mean of x[r, :]", rows<Kind::Mean>, Kind::Mean));
const Registration R7(makeRows("col_sum", "y[c] = sum of x[:, c]", columns<Kind::Sum>, Kind::Sum, true));
const Registration R8(makePair("dot", "out = sum of a * b", dot));
const Registration R9([] {
  Operator O = makePair("mse_loss", "out = mean of (a - b)^2", mse);
  O.Least = {{"n", 1}};
  return O;
}());

} // namespace
