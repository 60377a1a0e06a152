//===- Rows.h - operators that work along the rows of a matrix -------------------===//
#ifndef KCHECK_OPS_OPERATORS_ROWS_H
#define KCHECK_OPS_OPERATORS_ROWS_H

#include "runner/ops/Operator.h"
#include "runner/ops/Parallel.h"
#include <cmath>

namespace kcheck::ops {

inline Arg rowsDim() {
  return dim("rows", {"m", "M", "batch", "batch_size", "b", "num_rows", "nrows", "n_rows", "height", "h", "tokens", "num_tokens", "r", "outer"});
}
inline Arg colsDim() {
  return dim("cols", {"n", "N", "dim", "hidden", "hidden_size", "width", "w", "features", "num_features", "d", "num_cols", "ncols",
                      "n_cols", "row_size", "inner", "classes", "num_classes", "size", "len", "length"});
}

/// Calls F(row) for each row, on all cores.
template <typename Fn> void eachRow(Call &C, Fn F) {
  parallelFor(C.dim("rows"), std::max<int64_t>(1, (1 << 14) / std::max<int64_t>(1, C.dim("cols"))), [&](int64_t B, int64_t E) {
    for (int64_t R = B; R < E; ++R)
      F(R);
  });
}

inline std::vector<Dims> rowShapes() {
  return {{{"rows", 64}, {"cols", 256}}, {{"rows", 5}, {"cols", 1000}}, {{"rows", 257}, {"cols", 33}}, {{"rows", 3}, {"cols", 4099}}};
}

/// x[rows, cols] -> y[rows, cols].
inline Operator rowOperator(std::string Name, std::string Summary, void (*Reference)(Call &)) {
  Operator O;
  O.Name = std::move(Name);
  O.Summary = std::move(Summary);
  O.Args = {in("x", "rows,cols"), out("y", "rows,cols"), rowsDim(), colsDim()};
  O.Reference = Reference;
  O.Shapes = rowShapes();
  O.PerfShape = {{"rows", 8192}, {"cols", 2048}};
  return O;
}

} // namespace kcheck::ops
#endif
