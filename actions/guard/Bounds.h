//===- Bounds.h - the checks that stand in front of a kernel's accesses ---------===//
//
//   if (i >= n) return;   a[i] = 1;          a: n - i - 1 >= 0
//   if (i < n) a[i] = 1;                     the same
//   for (; i < n; i += stride) a[i] = 1;     the same: a counter stands for where it starts
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_ACTIONS_GUARD_BOUNDS_H
#define KCHECK_ACTIONS_GUARD_BOUNDS_H

#include "actions/engine/ActionContext.h"
#include "actions/guard/Guard.h"

namespace kcheck {

/// For each pointer parameter (by number), the checks that hold at every access through it.
std::map<unsigned, std::vector<BoundAtom>> boundsOf(ActionContext &Ctx, const clang::FunctionDecl *Kernel);

} // namespace kcheck
#endif
