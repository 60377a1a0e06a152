// transpose: y[c, r] = x[r, c]
#include "runner/ops/operators/Rows.h"

using namespace kcheck::ops;

static void reference(Call &C) {
  const double *X = C.in("x");
  double *Y = C.out("y");
  int64_t Rows = C.dim("rows"), Cols = C.dim("cols");
  eachRow(C, [&](int64_t R) {
    for (int64_t I = 0; I < Cols; ++I)
      Y[I * Rows + R] = X[R * Cols + I];
  });
}

static Operator make() {
  Operator O = rowOperator("transpose", "y[c, r] = x[r, c]", reference);
  O.Args[0].Types = TypeClass::Any;
  O.Args[1] = out("y", "cols,rows", TypeClass::Any);
  O.Draws = {{"normal", 0, 1}, {"iota", 0, 1}, {"extreme", 0, 1}, {"nan_inf", 0, 1}};
  O.PerfShape = {{"rows", 4096}, {"cols", 4096}};
  return O;
}

static const Registration R(make());
