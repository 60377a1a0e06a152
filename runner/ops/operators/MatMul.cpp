// matmul and its transposes; gemm with alpha and beta; batched matmul; matrix times vector.
#include "runner/ops/Operator.h"
#include "runner/ops/operators/Gemm.h"
#include <cmath>

using namespace kcheck::ops;

template <bool TA, bool TB> static void matmul(Call &C) {
  double *S = C.terms("c", double(C.dim("k")));
  gemm(C.in("a"), C.in("b"), C.out("c"), S, C.dim("m"), C.dim("n"), C.dim("k"), TA, TB);
}

static void scaled(Call &C) {
  matmul<false, false>(C);
  const double *Old = C.in("c");
  double Alpha = C.attr("alpha"), Beta = C.attr("beta"), *Y = C.out("c");
  std::vector<double> &S = C.Out.at("c").Terms;
  for (size_t I = 0; I < S.size(); ++I) {
    Y[I] = Alpha * Y[I] + Beta * Old[I];
    S[I] = std::fabs(Alpha) * S[I] + std::fabs(Beta * Old[I]);
  }
}

static void batched(Call &C) {
  int64_t M = C.dim("m"), N = C.dim("n"), K = C.dim("k");
  double *S = C.terms("c", double(K));
  for (int64_t B = 0; B < C.dim("batch"); ++B)
    gemm(C.in("a") + B * M * K, C.in("b") + B * K * N, C.out("c") + B * M * N, S + B * M * N, M, N, K, false, false);
}

static void matvec(Call &C) {
  double *S = C.terms("y", double(C.dim("cols")));
  gemm(C.in("a"), C.in("x"), C.out("y"), S, C.dim("rows"), 1, C.dim("cols"), false, false);
}

static Operator make(std::string Name, std::string Summary, void (*F)(Call &), std::string A, std::string B) {
  Operator O;
  O.Name = std::move(Name);
  O.Summary = std::move(Summary);
  O.Args = {in("a", std::move(A)).alias({"A", "lhs", "x"}), in("b", std::move(B)).alias({"B", "rhs", "w", "weight"}),
            out("c", "m,n").alias({"C", "out", "y"}), dim("m", {"M", "rows", "n_rows", "h"}), dim("n", {"N", "cols", "width", "w"}),
            dim("k", {"K", "inner", "depth"})};
  O.Reference = F;
  O.Shapes = {{{"m", 64}, {"n", 64}, {"k", 64}}, {{"m", 33}, {"n", 65}, {"k", 17}}, {{"m", 5}, {"n", 7}, {"k", 131}},
              {{"m", 128}, {"n", 96}, {"k", 48}}};
  O.PerfShape = {{"m", 2048}, {"n", 2048}, {"k", 2048}};
  O.Draws.push_back({"nan_inf", 0, 1});
  return O;
}

static Operator makeMatmul() {
  Operator O = make("matmul", "c[m, n] = sum_k a[m, k] * b[k, n]", matmul<false, false>, "m,k", "k,n");
  O.Else = {"matmul_square", "batched_matmul"};
  return O;
}
static Operator makeSquare() {
  Operator O = make("matmul_square", "c = a * b, square matrices of size n", nullptr, "n,n", "n,n");
  O.Reference = [](Call &C) {
    double *S = C.terms("c", double(C.dim("n")));
    gemm(C.in("a"), C.in("b"), C.out("c"), S, C.dim("n"), C.dim("n"), C.dim("n"), false, false);
  };
  O.Args = {O.Args[0], O.Args[1], out("c", "n,n").alias({"C", "out", "y"}), dim("n", {"N", "size", "width", "w", "m", "M", "dim"})};
  O.Shapes = {{{"n", 64}}, {{"n", 33}}, {{"n", 100}}};
  O.PerfShape = {{"n", 2048}};
  return O;
}
static Operator makeGemm() {
  Operator O = make("gemm", "c = alpha * a * b + beta * c", scaled, "m,k", "k,n");
  O.Args[2] = inout("c", "m,n").alias({"C", "out"});
  O.Args.push_back(attr("alpha", 1.5));
  O.Args.push_back(attr("beta", 0.5));
  return O;
}
static Operator makeBatched() {
  Operator O = make("batched_matmul", "c[b, m, n] = sum_k a[b, m, k] * b[b, k, n]", batched, "batch,m,k", "batch,k,n");
  O.Args[2] = out("c", "batch,m,n").alias({"C", "out", "y"});
  O.Args.insert(O.Args.begin() + 3, dim("batch", {"batches", "bs", "batch_size"}));
  O.Shapes = {{{"batch", 2}, {"m", 33}, {"n", 40}, {"k", 17}}, {{"batch", 3}, {"m", 16}, {"n", 16}, {"k", 64}}};
  O.PerfShape = {{"batch", 16}, {"m", 512}, {"n", 512}, {"k", 512}};
  return O;
}
static Operator makeMatvec() {
  Operator O = make("matvec", "y[r] = sum_c a[r, c] * x[c]", matvec, "rows,cols", "cols");
  O.Args = {in("a", "rows,cols").alias({"A", "mat", "matrix", "w", "weight"}), in("x", "cols").alias({"vec", "v", "b"}),
            out("y", "rows").alias({"out"}), dim("rows", {"m", "M"}), dim("cols", {"n", "N", "k", "K"})};
  O.Shapes = {{{"rows", 64}, {"cols", 256}}, {{"rows", 33}, {"cols", 1000}}, {{"rows", 257}, {"cols", 65}}};
  O.PerfShape = {{"rows", 8192}, {"cols", 4096}};
  return O;
}

static const Registration R1(makeMatmul());
static const Registration R2(make("matmul_nt", "c[m, n] = sum_k a[m, k] * b[n, k]", matmul<false, true>, "m,k", "n,k"));
static const Registration R3(make("matmul_tn", "c[m, n] = sum_k a[k, m] * b[k, n]", matmul<true, false>, "k,m", "k,n"));
static const Registration R4(make("matmul_tt", "c[m, n] = sum_k a[k, m] * b[n, k]", matmul<true, true>, "k,m", "n,k"));
static const Registration R5(makeGemm());
static const Registration R6(makeBatched());
static const Registration R7(makeMatvec());
static const Registration R8(makeSquare());
