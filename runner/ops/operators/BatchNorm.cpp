// batchnorm, inference form: statistics are given. y[n, c, s] = (x - mean[c]) / sqrt(var[c] + eps) * gamma[c] + beta[c]
#include "runner/ops/Operator.h"
#include "runner/ops/Parallel.h"
#include <cmath>

using namespace kcheck::ops;

static void reference(Call &C) {
  const double *X = C.in("x"), *G = C.in("gamma"), *B = C.in("beta"), *M = C.in("mean"), *V = C.in("var");
  double Eps = C.attr("eps"), *Y = C.out("y"), *S = C.terms("y", 4);
  int64_t Channels = C.dim("c"), Size = C.dim("s");
  parallelFor(C.dim("n") * Channels, 16, [&](int64_t Begin, int64_t End) {
    for (int64_t P = Begin; P < End; ++P) {
      int64_t K = P % Channels;
      double F = G[K] / std::sqrt(V[K] + Eps);
      for (int64_t I = P * Size; I < (P + 1) * Size; ++I) {
        Y[I] = (X[I] - M[K]) * F + B[K];
        S[I] = (std::fabs(X[I]) + std::fabs(M[K])) * std::fabs(F) + std::fabs(B[K]);
      }
    }
  });
}

static Operator make() {
  Operator O;
  O.Name = "batchnorm";
  O.Summary = "y[n, c, s] = (x - mean[c]) / sqrt(var[c] + eps) * gamma[c] + beta[c]";
  O.Args = {in("x", "n,c,s"), in("gamma", "c").alias({"weight", "w", "g", "scale"}), in("beta", "c").alias({"bias", "b", "shift"}),
            in("mean", "c").alias({"running_mean", "mu"}), in("var", "c").alias({"running_var", "variance"}).domain(Domain::Positive),
            out("y", "n,c,s"), dim("n", {"batch", "batch_size", "N"}), dim("c", {"channels", "C"}),
            dim("s", {"spatial", "hw", "HW", "size"}), attr("eps", 1e-5, {"epsilon"}).absent({1e-5, 1e-6, 1e-8, 1e-12})};
  O.Reference = reference;
  O.Shapes = {{{"n", 2}, {"c", 8}, {"s", 64}}, {{"n", 3}, {"c", 5}, {"s", 101}}, {{"n", 1}, {"c", 33}, {"s", 257}}};
  O.PerfShape = {{"n", 32}, {"c", 256}, {"s", 56 * 56}};
  return O;
}

static const Registration R(make());
