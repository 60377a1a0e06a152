//===- Elementwise.h - operators that map elements to elements ------------------===//
#ifndef KCHECK_OPS_OPERATORS_ELEMENTWISE_H
#define KCHECK_OPS_OPERATORS_ELEMENTWISE_H

#include "runner/ops/Operator.h"
#include "runner/ops/Parallel.h"
#include <cmath>

namespace kcheck::ops {

/// Sizes around which elementwise kernels go wrong come from Samples.h; these are the usual ones.
inline std::vector<Dims> flatShapes() { return {{{"n", 4096}}, {{"n", 262147}}}; }
inline Arg flatDim() {
  return dim("n", {"size", "count", "num", "length", "len", "numel", "total", "elements", "num_elements", "n_elements"});
}

/// out[i] = F(x[i]); F: double(double).
template <typename Fn> void mapUnary(Call &C, Fn F) {
  const double *X = C.in("x");
  double *Y = C.out("y");
  parallelFor(C.dim("n"), 1 << 14, [&](int64_t B, int64_t E) {
    for (int64_t I = B; I < E; ++I)
      Y[I] = F(X[I]);
  });
}

/// out[i] = F(a[i], b[i], &terms): F also says the sum of |terms| of its last addition.
template <typename Fn> void mapBinary(Call &C, Fn F) {
  const double *A = C.in("a"), *B = C.in("b");
  double *Y = C.out("out"), *S = C.terms("out", 2);
  parallelFor(C.dim("n"), 1 << 14, [&](int64_t Begin, int64_t End) {
    for (int64_t I = Begin; I < End; ++I)
      Y[I] = F(A[I], B[I], S[I]);
  });
}

inline Operator unaryOperator(std::string Name, std::string Summary, void (*Reference)(Call &), std::vector<Draw> Draws = allDraws(),
                              TypeClass Types = TypeClass::Float) {
  Operator O;
  O.Name = std::move(Name);
  O.Summary = std::move(Summary);
  O.Args = {in("x", "n", Types), out("y", "n", Types), flatDim()};
  O.Reference = Reference;
  O.Shapes = flatShapes();
  O.Draws = std::move(Draws);
  O.PerfShape = {{"n", 1 << 24}};
  return O;
}

inline Operator binaryOperator(std::string Name, std::string Summary, void (*Reference)(Call &), std::vector<Draw> Draws = allDraws(),
                               TypeClass Types = TypeClass::Float) {
  Operator O = unaryOperator(std::move(Name), std::move(Summary), Reference, std::move(Draws), Types);
  O.Args = {in("a", "n", Types), in("b", "n", Types), out("out", "n", Types), flatDim()};
  return O;
}

} // namespace kcheck::ops
#endif
