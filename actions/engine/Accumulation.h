//===- Accumulation.h - values that a loop gathers step by step ---------------------===//
//
//   sum += x      top = fmaxf(top, x)      if (x > top) top = x;      top = x > top ? x : top
//
//===--------------------------------------------------------------------------------===//
#ifndef KCHECK_ACTIONS_ENGINE_ACCUMULATION_H
#define KCHECK_ACTIONS_ENGINE_ACCUMULATION_H

#include "actions/engine/BlockReduce.h"

namespace kcheck {

struct Accumulation {
  const clang::VarDecl *V = nullptr;
  Reduction R = Reduction::Sum;
  const clang::Expr *Term = nullptr; ///< what a step adds or compares with
  bool Plain = true;                 ///< V is named once: `sum += x`
};

/// S, whole, as one step; nothing when it is none, or when the term rests on V.
std::optional<Accumulation> accumulation(const ActionContext &Ctx, const clang::Stmt *S);

/// The parameter or array that a place or pointer lies in, through `out = y + r * cols`; null when not known.
const clang::ValueDecl *memoryOf(ActionContext &Ctx, const clang::Expr *E);

/// Do A and B read the same, white space and comments aside?
bool sameWords(const ActionContext &Ctx, const clang::Expr *A, const clang::Expr *B);

} // namespace kcheck
#endif
