// mul_add: out = a * b + c
#include "runner/ops/operators/Elementwise.h"

using namespace kcheck::ops;

static void reference(Call &C) {
  const double *A = C.in("a"), *B = C.in("b"), *D = C.in("c");
  double *Y = C.out("out"), *S = C.terms("out", 2);
  parallelFor(C.dim("n"), 1 << 14, [&](int64_t Begin, int64_t End) {
    for (int64_t I = Begin; I < End; ++I) {
      Y[I] = A[I] * B[I] + D[I];
      S[I] = std::fabs(A[I] * B[I]) + std::fabs(D[I]);
    }
  });
}

static Operator make() {
  Operator O = binaryOperator("mul_add", "out = a * b + c", reference, smoothDraws(), TypeClass::Any);
  O.Args.insert(O.Args.begin() + 2, in("c", "n", TypeClass::Any));
  return O;
}

static const Registration R(make());
