//===- Loops.h - counting loops --------------------------------------------------===//
#ifndef KCHECK_ACTIONS_ENGINE_LOOPS_H
#define KCHECK_ACTIONS_ENGINE_LOOPS_H

#include "actions/engine/ActionContext.h"

namespace kcheck {

/// `for (T i = Low; i < High; i += Step)`, with i written nowhere else.
struct CountedLoop {
  const clang::ForStmt *Loop = nullptr;
  const clang::VarDecl *Variable = nullptr; ///< null: not a counting loop, WhyNot says why
  const clang::Expr *Low = nullptr, *High = nullptr, *Step = nullptr; ///< Step null: one
  bool Inclusive = false;                   ///< i <= High
  std::optional<int64_t> Trips;             ///< where it is a constant
  std::string WhyNot;
};

/// How often a loop runs whose start, test and step are constants but for its counter (`for (int o = 16; o > 0; o >>= 1)`);
/// nothing where they are not, or where the body changes the counter.
std::optional<int64_t> constantTrips(const ActionContext &Ctx, const clang::ForStmt *F);
/// The one integer that a loop declares, or null.
const clang::VarDecl *loopCounter(const clang::ForStmt *F);
/// Does the body leave V to the loop's head?
bool leavesAlone(const clang::Stmt *Body, const clang::VarDecl *V);

CountedLoop countedLoop(const ActionContext &Ctx, const clang::ForStmt *F);

/// The bytes of an unroll pragma on the line in front of Offset, or nothing.
std::optional<std::pair<unsigned, unsigned>> unrollPragmaBefore(const ActionContext &Ctx, unsigned Offset);

/// Calls F(loop, depth) for every for loop below S.
void forEachLoop(const clang::Stmt *S, llvm::function_ref<void(const clang::ForStmt *, unsigned)> F);

} // namespace kcheck
#endif
