//===- ByteCount.h - a size in bytes as a product -----------------------------===//
#ifndef KCHECK_MATCHERS_BYTECOUNT_H
#define KCHECK_MATCHERS_BYTECOUNT_H

#include "matchers/VariableWrites.h"
#include <string>
#include <vector>

namespace kcheck {

/// `2 * n * sizeof(float)`: Literal 2, Symbols {"n"}, Sizes {float}.
struct ByteCount {
  uint64_t Literal = 1;
  std::vector<std::string> Symbols;       ///< sorted spellings of the run-time factors
  std::vector<clang::QualType> Sizes;     ///< types of the sizeof factors
  const clang::Expr *FirstSizeof = nullptr;
  /// The known part: Literal times all sizes; the count is a multiple of it.
  uint64_t knownBytes(const clang::ASTContext &AST) const;
  bool constant() const { return Symbols.empty(); }
  bool sameSymbols(const ByteCount &O) const { return Symbols == O.Symbols; }
};

ByteCount byteCount(const clang::Expr *E, const VariableWrites &Writes, const clang::ASTContext &AST);

} // namespace kcheck
#endif
