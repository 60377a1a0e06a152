// axpy: y = alpha * x + y, in place
#include "runner/ops/operators/Elementwise.h"

using namespace kcheck::ops;

static void reference(Call &C) {
  const double *X = C.in("x"), *Old = C.in("y");
  double Alpha = C.attr("alpha"), *Y = C.out("y"), *S = C.terms("y", 2);
  parallelFor(C.dim("n"), 1 << 14, [&](int64_t Begin, int64_t End) {
    for (int64_t I = Begin; I < End; ++I) {
      Y[I] = Alpha * X[I] + Old[I];
      S[I] = std::fabs(Alpha * X[I]) + std::fabs(Old[I]);
    }
  });
}

static Operator make() {
  Operator O = unaryOperator("axpy", "y = alpha * x + y", reference, smoothDraws());
  O.Args = {attr("alpha", 1.5, {"a"}), in("x", "n"), inout("y", "n"), flatDim()};
  return O;
}

static const Registration R(make());
