// softmax and log_softmax along the rows.
#include "runner/ops/operators/Rows.h"

using namespace kcheck::ops;

template <bool Log> static void softmax(Call &C) {
  const double *X = C.in("x");
  int64_t Cols = C.dim("cols");
  double *Y = C.out("y"), *S = C.terms("y", double(Cols));
  eachRow(C, [&](int64_t R) {
    const double *Row = X + R * Cols;
    double Max = -HUGE_VAL, Sum = 0;
    for (int64_t I = 0; I < Cols; ++I)
      Max = Row[I] > Max ? Row[I] : Max;
    for (int64_t I = 0; I < Cols; ++I)
      Sum += std::exp(Row[I] - Max);
    for (int64_t I = 0; I < Cols; ++I) {
      double Gap = Row[I] - Max;
      Y[R * Cols + I] = Log ? Gap - std::log(Sum) : std::exp(Gap) / Sum;
      // The rounding of the argument is an error of exp in proportion to it.
      S[R * Cols + I] = Log ? (std::fabs(Row[I]) + std::fabs(Max) + std::log(Sum)) / std::sqrt(double(Cols)) + 1
                            : Y[R * Cols + I] * (1 + (std::fabs(Row[I]) + std::fabs(Max)) / std::sqrt(double(Cols)));
    }
  });
}

static Operator make(std::string Name, std::string Summary, void (*F)(Call &)) {
  Operator O = rowOperator(std::move(Name), std::move(Summary), F);
  O.Draws.insert(O.Draws.end(), {{"uniform", -80, 80}, {"normal", 200, 5}, {"nan_inf", 0, 1}});
  return O;
}

static const Registration R1(make("softmax", "y[r, c] = exp(x[r, c] - max) / sum exp(x[r, :] - max)", softmax<false>));
static const Registration R2(make("log_softmax", "y[r, c] = x[r, c] - log sum exp(x[r, :])", softmax<true>));
