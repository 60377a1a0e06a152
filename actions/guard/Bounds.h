//===- Bounds.h - the checks that stand in front of a kernel's accesses ---------===//
//
//   if (i >= n) return;   a[i] = 1;          a: n - i - 1 >= 0
//   if (i < n) a[i] = 1;                     the same
//   for (; i < n; i += stride) a[i] = 1;     the same: a counter stands for where it starts
//   if (inside(i, n)) put(a, i);             the same, where inside and put are functions of this file
//   if (i < n) { i += 2; a[i] = 1; }         nothing: what is checked is not what is used
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_ACTIONS_GUARD_BOUNDS_H
#define KCHECK_ACTIONS_GUARD_BOUNDS_H

#include "actions/engine/ActionContext.h"
#include "actions/guard/Guard.h"

namespace kcheck {

/// An integer expression of In in a form that other names and other orders of its terms have as well.
std::string canonicalText(ActionContext &Ctx, const clang::FunctionDecl *In, const clang::Expr *E);

/// For each pointer parameter (by number), the checks that hold at every access through it.
std::map<unsigned, std::vector<BoundAtom>> boundsOf(ActionContext &Ctx, const clang::FunctionDecl *Kernel);

} // namespace kcheck
#endif
