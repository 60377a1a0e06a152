//===- Divisibility.h - what an integer or an address is a multiple of --------===//
//
// Works on one function with what its call sites and checks (`cols % 4 == 0`, asserts, early returns)
// say about parameters. A part is *sure* when it really takes values that are no larger multiple
// (constants, thread indices), *unknown* when it hangs on a value that the file does not show.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_MATCHERS_DIVISIBILITY_H
#define KCHECK_MATCHERS_DIVISIBILITY_H

#include "matchers/VariableWrites.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace kcheck {

/// One summand: a multiple of Factor.
struct MultipleTerm {
  uint64_t Factor = 1; ///< 0: the term is zero
  bool Sure = false;    ///< takes values that are no larger multiple
  bool Varies = false;  ///< takes many of them, as a thread index does
  llvm::SmallVector<const clang::VarDecl *, 2> Symbols; ///< parameters that an unknown term hangs on
};

/// A sum of terms; an address adds its base.
struct MultipleSum {
  llvm::SmallVector<MultipleTerm, 4> Terms;
  const clang::VarDecl *Base = nullptr; ///< pointer or array that an address starts from
  bool Known = true;                    ///< false: the base could not be followed
};

class Divisibility {
public:
  Divisibility(clang::ASTContext &AST, const VariableWrites &Writes, const CallSites &Calls)
      : AST(AST), Writes(Writes), Calls(Calls) {}

  /// An integer expression.
  MultipleSum ofInteger(const clang::Expr *E) const;
  /// The byte address of a pointer expression.
  MultipleSum ofAddress(const clang::Expr *E) const;
  /// Whether F, or a caller of it, checks an address's low bits.
  bool checksAddress(const clang::FunctionDecl *F) const;

private:
  MultipleTerm term(const clang::Expr *E, unsigned Depth) const;
  MultipleTerm variable(const clang::VarDecl *V, unsigned Depth) const;
  MultipleTerm valueOf(const clang::VarDecl *V, unsigned Depth) const;
  MultipleTerm parameter(const clang::ParmVarDecl *P, unsigned Depth) const;
  uint64_t checkedMultiple(const clang::VarDecl *V) const;
  void addInteger(const clang::Expr *E, uint64_t Scale, MultipleSum &Out, unsigned Depth) const;
  void addAddress(const clang::Expr *E, MultipleSum &Out, unsigned Depth) const;

  clang::ASTContext &AST;
  const VariableWrites &Writes;
  const CallSites &Calls;
  mutable llvm::DenseMap<const clang::VarDecl *, MultipleTerm> Cache;
  mutable llvm::SmallPtrSet<const clang::VarDecl *, 8> Active; ///< being worked out: a cycle adds nothing
};

} // namespace kcheck
#endif
