// linear, linear_relu, linear_gelu: y[m, n] = f(sum_k x[m, k] * w[n, k] + bias[n]), weights stored a row an output.
#include "runner/ops/Operator.h"
#include "runner/ops/operators/Gelu.h"
#include "runner/ops/operators/Gemm.h"

using namespace kcheck::ops;

template <typename Fn> static void linear(Call &C, bool KeepWeightRows, Fn F) {
  int64_t M = C.dim("m"), N = C.dim("n"), K = C.dim("k");
  double *S = C.terms("y", double(K) + 1), *Y = C.out("y");
  gemm(C.in("x"), C.in("w"), Y, S, M, N, K, false, KeepWeightRows);
  const double *Bias = C.has("bias") ? C.in("bias") : nullptr;
  for (int64_t I = 0; I < M * N; ++I) {
    double B = Bias ? Bias[I % N] : 0;
    Y[I] = F(Y[I] + B);
    S[I] += std::fabs(B);
  }
}

static double identity(double V) { return V; }
static double relu(double V) { return V > 0 ? V : 0; }

template <bool Rows> static void plain(Call &C) { linear(C, Rows, identity); }
template <bool Rows> static void withRelu(Call &C) { linear(C, Rows, relu); }
template <bool Rows> static void withGelu(Call &C) { linear(C, Rows, C.Variant == "tanh" ? geluTanh : geluErf); }

static Operator make(std::string Name, std::string Formula, void (*F)(Call &), bool Rows, std::vector<std::string> Variants = {}) {
  Operator O;
  O.Name = std::move(Name);
  O.Summary = "y[m, n] = " + Formula + (Rows ? ", weights [n, k]" : ", weights [k, n]");
  O.Args = {in("x", "m,k").alias({"input", "a", "A", "X"}), in("w", Rows ? "n,k" : "k,n").alias({"weight", "weights", "W", "b", "B"}),
            in("bias", "n").alias({"b", "bias_vec"}).optional(), out("y", "m,n").alias({"out", "output", "c", "C"}),
            dim("m", {"M", "batch", "rows", "batch_size", "tokens"}), dim("n", {"N", "out_features", "cols", "out_dim", "O"}),
            dim("k", {"K", "in_features", "in_dim", "inner", "I"})};
  O.Reference = F;
  O.Shapes = {{{"m", 32}, {"n", 64}, {"k", 64}}, {{"m", 33}, {"n", 31}, {"k", 65}}, {{"m", 7}, {"n", 100}, {"k", 130}},
              {{"m", 64}, {"n", 48}, {"k", 257}}};
  O.PerfShape = {{"m", 2048}, {"n", 2048}, {"k", 2048}};
  O.Variants = std::move(Variants);
  return O;
}

static const Registration R1(make("linear", "x * w^T + bias", plain<true>, true));
static const Registration R2(make("linear_relu", "max(x * w^T + bias, 0)", withRelu<true>, true));
static const Registration R3(make("linear_gelu", "gelu(x * w^T + bias)", withGelu<true>, true, {"erf", "tanh"}));
static const Registration R4(make("linear_kn", "x * w + bias", plain<false>, false));
static const Registration R5(make("linear_relu_kn", "max(x * w + bias, 0)", withRelu<false>, false));
static const Registration R6(make("linear_gelu_kn", "gelu(x * w + bias)", withGelu<false>, false, {"erf", "tanh"}));
