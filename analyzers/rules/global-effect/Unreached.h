//===- Unreached.h - results that are computed and go nowhere ------------------===//
//
//   for (;;) { …; if (tile >= tiles) return; … }       // and the stores stand behind the loop
//   if (h % words >= words) atomicOr(&bits[…], bit);   // a remainder is never that large
//   __global__ void best(const int *x, int result) { …; result = top; }
//
// Of kernels that write something else: a work counter, another output.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_RULES_GLOBALEFFECT_UNREACHED_H
#define KCHECK_RULES_GLOBALEFFECT_UNREACHED_H

#include "Effects.h"
#include "analyzers/engine/Rule.h"
#include "clang/Analysis/CFG.h"

namespace kcheck::effects {

/// Reachability in the flow graphs of functions, which are built once each.
class FlowPaths {
public:
  /// Does no path of its function lead to the site? Branches on constants count as what they are.
  bool miss(const Site &S, clang::ASTContext &AST);

private:
  llvm::DenseMap<const clang::FunctionDecl *, std::unique_ptr<clang::CFG>> Graphs;
};

/// Reports `store_unreachable` and `result_kept_local`, once a kernel.
void checkUnreached(RuleContext &Ctx, const clang::FunctionDecl *Kernel, FlowPaths &Paths);

} // namespace kcheck::effects
#endif
