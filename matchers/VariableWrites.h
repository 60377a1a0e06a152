//===- VariableWrites.h - where a variable gets its values --------------------===//
//
// For every variable of the file: its initialiser, each assignment, each change in place, and whether its
// address leaves. A variable with one write and no escape may be read as its expression.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_MATCHERS_VARIABLEWRITES_H
#define KCHECK_MATCHERS_VARIABLEWRITES_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace kcheck {

/// The variable that E names behind parentheses and implicit casts, or null.
const clang::VarDecl *namedVariable(const clang::Expr *E);

struct VariableWrite {
  enum Kind { Init, Assign, Compound, Step } How;
  const clang::Expr *Value;    ///< null for ++ and --
  const clang::Expr *At;       ///< the assignment or step; null for an initialiser
  clang::BinaryOperatorKind Op = clang::BO_Assign; ///< of a compound assignment: BO_AddAssign, …
};

class VariableWrites {
public:
  explicit VariableWrites(clang::ASTContext &AST);
  llvm::ArrayRef<VariableWrite> of(const clang::VarDecl *V) const;
  bool addressTaken(const clang::VarDecl *V) const { return Escaped.contains(V); }
  /// The one expression that V always holds, or null.
  const clang::Expr *onlyValue(const clang::VarDecl *V) const;
  /// E, with casts and parentheses gone and variables of one value replaced by it.
  const clang::Expr *resolve(const clang::Expr *E) const;

private:
  friend class WriteCollector;
  llvm::DenseMap<const clang::VarDecl *, llvm::SmallVector<VariableWrite, 2>> Writes;
  llvm::DenseSet<const clang::VarDecl *> Escaped;
};

/// One call or kernel launch of a function of the file.
struct CallSite {
  const clang::CallExpr *Call;
  const clang::FunctionDecl *Caller;
};

class CallSites {
public:
  explicit CallSites(clang::ASTContext &AST);
  llvm::ArrayRef<CallSite> of(const clang::FunctionDecl *F) const;
  /// The argument that P gets at S, or null.
  static const clang::Expr *argument(const CallSite &S, const clang::ParmVarDecl *P);

private:
  friend class CallCollector;
  llvm::DenseMap<const clang::FunctionDecl *, llvm::SmallVector<CallSite, 2>> Sites;
};

} // namespace kcheck
#endif
