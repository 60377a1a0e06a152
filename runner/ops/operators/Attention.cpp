// attention: out = softmax(q k^T * scale) v a batch and head; attention_causal: no key after the query.
#include "runner/ops/Operator.h"
#include "runner/ops/Parallel.h"
#include <cmath>

using namespace kcheck::ops;

static void attend(Call &C, bool Causal) {
  const double *Q = C.in("q"), *K = C.in("k"), *V = C.in("v");
  int64_t Seq = C.dim("seq"), D = C.dim("d"), Heads = C.dim("batch") * C.dim("heads");
  double Scale = C.attr("scale") > 0 ? C.attr("scale") : 1 / std::sqrt(double(D));
  double *Y = C.out("out"), *S = C.terms("out", double(Seq + D));
  parallelFor(Heads * Seq, 4, [&](int64_t Begin, int64_t End) {
    std::vector<double> P(size_t(Seq), 0.0);
    for (int64_t Row = Begin; Row < End; ++Row) {
      int64_t Base = Row / Seq * Seq, Keys = Causal ? Row % Seq + 1 : Seq;
      double Max = -HUGE_VAL, Sum = 0, Spread = 0;
      for (int64_t J = 0; J < Keys; ++J) {
        double Dot = 0, Size = 0;
        for (int64_t I = 0; I < D; ++I) {
          Dot += Q[Row * D + I] * K[(Base + J) * D + I];
          Size += std::fabs(Q[Row * D + I] * K[(Base + J) * D + I]);
        }
        P[J] = Dot * Scale;
        Spread = std::fmax(Spread, Size * Scale); // the error of a score is a relative error of its weight
        Max = std::fmax(Max, P[J]);
      }
      for (int64_t J = 0; J < Keys; ++J)
        Sum += P[J] = std::exp(P[J] - Max);
      for (int64_t I = 0; I < D; ++I) {
        double Acc = 0, Size = 0;
        for (int64_t J = 0; J < Keys; ++J) {
          Acc += P[J] * V[(Base + J) * D + I];
          Size += std::fabs(P[J] * V[(Base + J) * D + I]);
        }
        Y[Row * D + I] = Acc / Sum;
        S[Row * D + I] = Size / Sum * (1 + Spread);
      }
    }
  });
}

static Operator make(std::string Name, std::string Summary, void (*F)(Call &)) {
  Operator O;
  O.Name = std::move(Name);
  O.Summary = std::move(Summary);
  O.Args = {in("q", "batch,heads,seq,d").alias({"Q", "query"}), in("k", "batch,heads,seq,d").alias({"K", "key"}),
            in("v", "batch,heads,seq,d").alias({"V", "value"}), out("out", "batch,heads,seq,d").alias({"o", "O", "output", "y"}),
            dim("batch", {"b", "B", "bs", "batch_size"}), dim("heads", {"h", "H", "num_heads", "n_heads", "nh"}),
            dim("seq", {"seq_len", "n", "N", "T", "s", "S", "L"}), dim("d", {"head_dim", "D", "dim", "hd"}),
            attr("scale", 0, {"softmax_scale", "sm_scale"})};
  O.Reference = F;
  O.Shapes = {{{"batch", 1}, {"heads", 2}, {"seq", 32}, {"d", 32}}, {{"batch", 2}, {"heads", 1}, {"seq", 33}, {"d", 64}},
              {{"batch", 1}, {"heads", 1}, {"seq", 65}, {"d", 16}}};
  O.PerfShape = {{"batch", 4}, {"heads", 16}, {"seq", 1024}, {"d", 64}};
  O.Least = {{"d", 1}};
  return O;
}

static const Registration R1(make("attention", "out = softmax(q * k^T / sqrt(d)) * v", [](Call &C) { attend(C, false); }));
static const Registration R2(make("attention_causal", "out = softmax(q * k^T / sqrt(d), keys up to the query) * v", [](Call &C) { attend(C, true); }));
