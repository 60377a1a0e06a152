// scan (inclusive) and scan_exclusive: running sums. A parallel scan adds in another order: L and S cover it.
#include "runner/ops/operators/Elementwise.h"

using namespace kcheck::ops;

template <bool Exclusive> static void scan(Call &C) {
  const double *X = C.in("x");
  double *Y = C.out("y"), *S = C.terms("y", double(C.dim("n"))), Sum = 0, Size = 0;
  for (int64_t I = 0; I < C.dim("n"); ++I) {
    if (!Exclusive) {
      Sum += X[I];
      Size += std::fabs(X[I]);
    }
    Y[I] = Sum;
    S[I] = Size;
    if (Exclusive) {
      Sum += X[I];
      Size += std::fabs(X[I]);
    }
  }
}

static Operator make(std::string Name, std::string Summary, void (*F)(Call &)) {
  Operator O = unaryOperator(std::move(Name), std::move(Summary), F, smoothDraws(), TypeClass::Any);
  O.Shapes = {{{"n", 1024}}, {{"n", 10007}}};
  return O;
}

static const Registration R1(make("scan", "y[i] = x[0] + ... + x[i]", scan<false>));
static const Registration R2(make("scan_exclusive", "y[i] = x[0] + ... + x[i - 1]", scan<true>));
