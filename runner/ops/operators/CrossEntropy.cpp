// cross_entropy: loss[r] = log sum exp(logits[r, :]) - logits[r, labels[r]]; cross_entropy_mean: their mean.
#include "runner/ops/operators/Rows.h"

using namespace kcheck::ops;

static double loss(const double *Row, int64_t N, int64_t Label, double &Size) {
  double Max = -HUGE_VAL, Sum = 0;
  for (int64_t I = 0; I < N; ++I)
    Max = Row[I] > Max ? Row[I] : Max;
  for (int64_t I = 0; I < N; ++I)
    Sum += std::exp(Row[I] - Max);
  Size = 1 + (std::fabs(Max) + std::log(Sum) + std::fabs(Row[Label])) / std::sqrt(double(N));
  return std::log(Sum) + Max - Row[Label];
}

static void each(Call &C) {
  const double *X = C.in("logits"), *L = C.in("labels");
  int64_t Cols = C.dim("cols");
  double *Y = C.out("loss"), *S = C.terms("loss", double(Cols));
  eachRow(C, [&](int64_t R) { Y[R] = loss(X + R * Cols, Cols, int64_t(L[R]), S[R]); });
}

static void mean(Call &C) {
  const double *X = C.in("logits"), *L = C.in("labels");
  int64_t Rows = C.dim("rows"), Cols = C.dim("cols");
  double *S = C.terms("loss", double(Rows * Cols)), Sum = 0;
  for (int64_t R = 0; R < Rows; ++R) {
    double Size = 0;
    Sum += loss(X + R * Cols, Cols, int64_t(L[R]), Size);
    S[0] += Size / double(Rows);
  }
  C.out("loss")[0] = Sum / double(Rows);
}

static Operator make(std::string Name, std::string Summary, void (*F)(Call &), std::string Out) {
  Operator O = rowOperator(std::move(Name), std::move(Summary), F);
  O.Args = {in("logits", "rows,cols").alias({"x", "input", "pred", "scores"}),
            in("labels", "rows", TypeClass::Integer).alias({"targets", "target", "y", "label", "idx"}).below("cols"),
            out("loss", std::move(Out)).alias({"losses", "out", "output"}), rowsDim(), colsDim()};
  O.Draws.push_back({"uniform", -60, 60});
  O.Least = {{"cols", 1}};
  return O;
}

static Operator makeMean() {
  Operator O = make("cross_entropy_mean", "loss = mean of the rows' losses", mean, "1");
  O.Least["rows"] = 1;
  return O;
}

static const Registration R1(make("cross_entropy", "loss[r] = log sum exp(logits[r, :]) - logits[r, labels[r]]", each, "rows"));
static const Registration R2(makeMean());
