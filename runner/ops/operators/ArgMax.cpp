// argmax along the rows (or over one vector): with ties every index of a largest element is right.
#include "runner/ops/operators/Elementwise.h"
#include "runner/ops/operators/Rows.h"

using namespace kcheck::ops;

static int64_t largest(const double *X, int64_t N) {
  int64_t Best = 0;
  for (int64_t I = 1; I < N; ++I)
    if (X[I] > X[Best])
      Best = I;
  return Best;
}

static void whole(Call &C) { C.out("y")[0] = double(largest(C.in("x"), C.dim("n"))); }
static void rows(Call &C) {
  const double *X = C.in("x");
  double *Y = C.out("y");
  int64_t Cols = C.dim("cols");
  eachRow(C, [&](int64_t R) { Y[R] = double(largest(X + R * Cols, Cols)); });
}

static bool tie(const double *Row, int64_t N, double Got) {
  return Got >= 0 && Got < double(N) && Row[int64_t(Got)] == Row[largest(Row, N)];
}
static bool acceptWhole(const Call &C, const std::string &, int64_t, double Got) { return tie(C.in("x"), C.dim("n"), Got); }
static bool acceptRow(const Call &C, const std::string &, int64_t R, double Got) {
  return tie(C.in("x") + R * C.dim("cols"), C.dim("cols"), Got);
}

static std::vector<std::string> indexNames() { return {"idx", "index", "indices", "out", "output", "result"}; }

static Operator makeRows() {
  Operator O = rowOperator("argmax", "y[r] = index of a largest x[r, :]", rows);
  O.Args[1] = out("y", "rows", TypeClass::Integer).alias(indexNames());
  O.Accept = acceptRow;
  O.Least = {{"cols", 1}};
  O.Else = {"argmax_flat"};
  return O;
}
static Operator makeWhole() {
  Operator O = unaryOperator("argmax_flat", "y = index of a largest x", whole, smoothDraws(), TypeClass::Any);
  O.Args[1] = out("y", "1", TypeClass::Integer).alias(indexNames());
  O.Accept = acceptWhole;
  O.Least = {{"n", 1}};
  return O;
}

static const Registration R1(makeRows());
static const Registration R2(makeWhole());
