//===- AlongX.h - what differs between the threads along x --------------------------===//
//
// Values that come from threadIdx.x, blockIdx.x or gridDim.x, and variables that hold such. blockDim.x is the same for all.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_ACTIONS_ENGINE_ALONGX_H
#define KCHECK_ACTIONS_ENGINE_ALONGX_H

#include "actions/engine/ActionContext.h"

namespace kcheck {

class AlongX {
public:
  explicit AlongX(ActionContext &Ctx) : Ctx(Ctx), Writes(Ctx.get<VariableWrites>()) {}

  /// All threads along x get the same from E, and evaluating it changes nothing.
  bool same(const clang::Expr *E);
  bool same(const clang::VarDecl *V);
  /// S stands well in front of what each thread does: it is the same for all along x, changes at most variables of its own
  /// thread, and may return.
  bool same(const clang::Stmt *S);

private:
  ActionContext &Ctx;
  const VariableWrites &Writes;
  llvm::DenseMap<const clang::VarDecl *, bool> Known;
};

/// `offsets + blockIdx.x * Span + threadIdx.x`, behind casts and variables of one value.
struct GlobalIndex {
  const clang::Expr *Span = nullptr; ///< null: blockDim.x
  std::vector<const clang::Expr *> Offsets;
};
std::optional<GlobalIndex> globalIndex(ActionContext &Ctx, AlongX &X, const clang::Expr *E);

/// The terms of a sum of integers, behind parentheses and casts between integers.
void addends(const clang::Expr *E, std::vector<const clang::Expr *> &Out);

/// The variable of which an assignment to To changes a part: v, v.x, v[2].
const clang::VarDecl *changedVariable(const clang::Expr *To);
/// Calls F with each variable that S itself, not what is below it, may change: assignments, steps, addresses, arguments.
void forEachChange(const clang::Stmt *S, llvm::function_ref<void(const clang::VarDecl *)> F);

} // namespace kcheck
#endif
