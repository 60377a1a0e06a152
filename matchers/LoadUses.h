//===- LoadUses.h - what becomes of the values read through a pointer ---------===//
//
// A pointer cast is harmless while the values only travel (packets that are copied or unpacked) and a
// fault once they are used as numbers of the cast's type.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_MATCHERS_LOADUSES_H
#define KCHECK_MATCHERS_LOADUSES_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace kcheck {

class References {
public:
  explicit References(clang::ASTContext &AST);
  llvm::ArrayRef<const clang::DeclRefExpr *> of(const clang::ValueDecl *D) const;

private:
  friend class ReferenceCollector;
  llvm::DenseMap<const clang::ValueDecl *, llvm::SmallVector<const clang::DeclRefExpr *, 4>> Refs;
};

/// What one pointer expression is used for.
struct LoadUse {
  bool Loaded = false;       ///< something is read through it
  bool Stored = false;       ///< something is written through it
  bool StoredFirst = false;  ///< the first use in the text writes
  bool Number = false;       ///< a value read is used in arithmetic, a comparison, a conversion or as an index
  bool FloatMade = false;    ///< an integer read is converted to floating point
  llvm::SmallVector<const clang::Expr *, 4> Indices; ///< subscripts that read or write
};

LoadUse loadUses(const clang::Expr *Pointer, clang::ASTContext &AST, const References &Refs);

} // namespace kcheck
#endif
