//===- LaunchExpr.h - the expressions of <<<...>>> ------------------------------===//
#ifndef KCHECK_MATCHERS_LAUNCHEXPR_H
#define KCHECK_MATCHERS_LAUNCHEXPR_H

#include "clang/AST/ExprCXX.h"

namespace kcheck {

/// What is written for a grid or a block: `n` of `<<<n, 256>>>`, the conversion to dim3 and its temporaries taken off;
/// of `dim3(w, h)` the first, w.
inline const clang::Expr *alongX(const clang::Expr *E) {
  for (;;) {
    E = E->IgnoreParenCasts();
    if (const auto *C = llvm::dyn_cast<clang::CXXConstructExpr>(E); C && C->getNumArgs())
      E = C->getArg(0);
    else if (const auto *M = llvm::dyn_cast<clang::MaterializeTemporaryExpr>(E))
      E = M->getSubExpr();
    else if (const auto *T = llvm::dyn_cast<clang::ExprWithCleanups>(E))
      E = T->getSubExpr();
    else
      return E;
  }
}

} // namespace kcheck
#endif
