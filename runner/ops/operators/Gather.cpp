// gather: out[i] = src[idx[i]]; embedding: out[i, :] = table[ids[i], :]; scatter_add: out[idx[i]] += src[i]; histogram.
#include "runner/ops/Operator.h"
#include <algorithm>
#include <cmath>

using namespace kcheck::ops;

namespace {

void gather(Call &C) {
  const double *X = C.in("src"), *I = C.in("idx");
  double *Y = C.out("out");
  for (int64_t K = 0; K < C.dim("m"); ++K)
    Y[K] = X[int64_t(I[K])];
}

void embedding(Call &C) {
  const double *T = C.in("table"), *I = C.in("ids");
  double *Y = C.out("out");
  int64_t D = C.dim("d");
  for (int64_t K = 0; K < C.dim("n"); ++K)
    std::copy_n(T + int64_t(I[K]) * D, D, Y + K * D);
}

void scatterAdd(Call &C) {
  const double *X = C.in("src"), *I = C.in("idx"), *Old = C.in("out");
  double *Y = C.out("out"), *S = C.terms("out", std::max(2.0, double(C.dim("m"))));
  for (int64_t K = 0; K < C.dim("n"); ++K) {
    Y[K] = Old[K];
    S[K] = std::fabs(Old[K]);
  }
  for (int64_t K = 0; K < C.dim("m"); ++K) {
    Y[int64_t(I[K])] += X[K];
    S[int64_t(I[K])] += std::fabs(X[K]);
  }
}

void histogram(Call &C) {
  const double *X = C.in("x"), *Old = C.in("counts");
  double *Y = C.out("counts");
  std::copy_n(Old, C.dim("bins"), Y);
  for (int64_t K = 0; K < C.dim("n"); ++K)
    Y[int64_t(X[K])] += 1;
}

std::vector<std::string> indexNames() { return {"index", "indices", "ids", "indexes", "ind"}; }
Arg count(std::string Name, std::vector<std::string> More = {}) {
  More.insert(More.end(), {"count", "num", "len", "length", "num_indices"});
  return dim(std::move(Name), std::move(More));
}

Operator base(std::string Name, std::string Summary, void (*F)(Call &)) {
  Operator O;
  O.Name = std::move(Name);
  O.Summary = std::move(Summary);
  O.Reference = F;
  O.Draws = {{"normal", 0, 1}, {"uniform", -1, 1}, {"iota", 0, 1}};
  return O;
}

Operator makeGather(bool WithSize) {
  Operator O = base(WithSize ? "gather" : "gather_known", "out[i] = src[idx[i]]", gather);
  O.Args = {in("src", "n", TypeClass::Any).alias({"input", "x", "data", "table"}), in("idx", "m", TypeClass::Integer).alias(indexNames()).below("n"),
            out("out", "m", TypeClass::Any).alias({"output", "dst", "y"}), dim("n", {"N", "src_size", "size", "src_len"}), count("m", {"M", "k"})};
  O.Shapes = {{{"n", 500}, {"m", 1000}}, {{"n", 4097}, {"m", 257}}};
  O.PerfShape = {{"n", 1 << 22}, {"m", 1 << 22}};
  O.Least = {{"n", 1}};
  if (!WithSize) { // a launcher needs the count of indices only
    O.Args[3].Optional = true;
  } else {
    O.Else = {"gather_known"};
  }
  return O;
}

Operator makeEmbedding() {
  Operator O = base("embedding", "out[i, :] = table[ids[i], :]", embedding);
  O.Args = {in("table", "vocab,d").alias({"weight", "weights", "emb", "embedding", "w"}),
            in("ids", "n", TypeClass::Integer).alias({"idx", "indices", "tokens", "input", "index", "token_ids"}).below("vocab"),
            out("out", "n,d").alias({"output", "y"}), dim("vocab", {"vocab_size", "v", "V", "num_embeddings"}).optional(),
            count("n", {"N", "tokens", "num_tokens", "seq", "batch", "seq_len"}), dim("d", {"D", "dim", "hidden", "embed_dim", "embedding_dim", "hidden_size"})};
  O.Shapes = {{{"vocab", 100}, {"n", 64}, {"d", 96}}, {{"vocab", 33}, {"n", 5}, {"d", 257}}};
  O.PerfShape = {{"vocab", 50000}, {"n", 8192}, {"d", 1024}};
  O.Least = {{"vocab", 1}};
  return O;
}

Operator makeScatter() {
  Operator O = base("scatter_add", "out[idx[i]] += src[i]", scatterAdd);
  O.Args = {in("src", "m", TypeClass::Any).alias({"input", "x", "values", "updates"}), in("idx", "m", TypeClass::Integer).alias(indexNames()).below("n"),
            inout("out", "n", TypeClass::Any).alias({"output", "dst", "y"}), dim("n", {"N", "out_size", "size", "num_out"}).optional(), count("m", {"M", "k"})};
  O.Shapes = {{{"n", 100}, {"m", 1000}}, {{"n", 1000}, {"m", 257}}};
  O.PerfShape = {{"n", 1 << 20}, {"m", 1 << 22}};
  O.Least = {{"n", 1}};
  return O;
}

Operator makeHistogram() {
  Operator O = base("histogram", "counts[x[i]] += 1; counts start as zero", histogram);
  O.Args = {in("x", "n", TypeClass::Integer).alias({"input", "data", "in", "values"}).below("bins"),
            inout("counts", "bins", TypeClass::Integer).alias({"hist", "histogram", "bins", "out", "output"}).domain(Domain::Zero),
            dim("n", {"N", "size", "count", "num", "length", "len"}), dim("bins", {"num_bins", "nbins", "n_bins", "k", "K", "B"}).optional()};
  O.Shapes = {{{"n", 4096}, {"bins", 256}}, {{"n", 10007}, {"bins", 256}}};
  O.PerfShape = {{"n", 1 << 24}, {"bins", 256}};
  O.Least = {{"bins", 1}};
  return O;
}

const Registration R1(makeGather(true));
const Registration R2(makeGather(false));
const Registration R3(makeEmbedding());
const Registration R4(makeScatter());
const Registration R5(makeHistogram());

} // namespace
