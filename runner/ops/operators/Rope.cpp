// rope: rotates pairs of each head by the angle whose cosine and sine are given; pairs are halves ("half", as GPT-NeoX and
// Llama code) or neighbours ("pairs", as GPT-J). Both are right.
#include "runner/ops/Operator.h"
#include "runner/ops/Parallel.h"
#include <cmath>

using namespace kcheck::ops;

static void reference(Call &C) {
  const double *X = C.in("x"), *Cos = C.in("cos"), *Sin = C.in("sin");
  double *Y = C.out("y"), *S = C.terms("y", 2);
  int64_t Heads = C.dim("heads"), D = C.dim("d"), Half = D / 2;
  bool Pairs = C.Variant == "pairs";
  parallelFor(C.dim("seq") * Heads, 16, [&](int64_t Begin, int64_t End) {
    for (int64_t P = Begin; P < End; ++P)
      for (int64_t I = 0; I < Half; ++I) {
        int64_t A = P * D + (Pairs ? 2 * I : I), B = P * D + (Pairs ? 2 * I + 1 : I + Half);
        double Co = Cos[P / Heads * Half + I], Si = Sin[P / Heads * Half + I];
        Y[A] = X[A] * Co - X[B] * Si;
        Y[B] = X[B] * Co + X[A] * Si;
        S[A] = std::fabs(X[A] * Co) + std::fabs(X[B] * Si);
        S[B] = std::fabs(X[B] * Co) + std::fabs(X[A] * Si);
      }
  });
}

static Operator make() {
  Operator O;
  O.Name = "rope";
  O.Summary = "y = x rotated by cos[seq, d / 2], sin[seq, d / 2]; halves or neighbours form the pairs";
  O.Args = {in("x", "seq,heads,d").alias({"q", "input"}), in("cos", "seq,d/2").alias({"cos_table", "cosines", "c"}).domain(Domain::Angle),
            in("sin", "seq,d/2").alias({"sin_table", "sines", "s"}).domain(Domain::Angle), out("y", "seq,heads,d").alias({"out", "output"}),
            dim("seq", {"seq_len", "tokens", "n", "T", "S", "rows"}), dim("heads", {"num_heads", "h", "H", "n_heads"}),
            dim("d", {"head_dim", "dim", "D", "hd"})};
  O.Reference = reference;
  O.Shapes = {{{"seq", 16}, {"heads", 4}, {"d", 64}}, {{"seq", 33}, {"heads", 3}, {"d", 32}}};
  O.PerfShape = {{"seq", 4096}, {"heads", 32}, {"d", 128}};
  O.Variants = {"half", "pairs"};
  O.Steps = {{"d", 2}};
  return O;
}

static const Registration R(make());
