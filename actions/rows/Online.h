//===- Online.h - largest value and sum of exponentials in one pass ---------------------===//
//
//   const float next = in[c];
//   if (next > top) { sum *= expf(top - next); top = next; }
//   sum += expf(next - (top > -INFINITY ? top : 0));
//
// What a thread has found so far is scaled down when a larger value comes; -INFINITY weighs nothing.
//
//===--------------------------------------------------------------------------------===//
#ifndef KCHECK_ACTIONS_ROWS_ONLINE_H
#define KCHECK_ACTIONS_ROWS_ONLINE_H

#include "actions/engine/ActionContext.h"

namespace kcheck {

struct OnlineSum {
  std::string Type, Next, Term, Top, Sum, Exp; ///< Exp: "expf"
  const clang::VarDecl *TopVariable = nullptr, *SumVariable = nullptr;

  std::string step() const;                            ///< a loop's body
  std::string meet(const std::string &RowTop) const;   ///< brings the threads of a block to one largest value
};

/// Mean and squared distances from it in one pass: the mean so far moves with each value, and the squares with it, so that no
/// large sums cancel.
///
///   const float next = in[c];
///   const float shift = next - mean;
///   mean += shift / (c + 1);
///   squares += shift * (next - mean);
struct RunningMoments {
  std::string Type, Next, Shift, Term, Mean, Squares, Count; ///< Count: "c"
  std::string step() const;
};

/// The body of F as such a step, word for word.
std::optional<OnlineSum> onlineSum(const ActionContext &Ctx, const clang::ForStmt *F);

/// Are these the three statements that meet() writes?
bool isMeeting(const ActionContext &Ctx, const OnlineSum &S, llvm::ArrayRef<const clang::Stmt *> Three);

} // namespace kcheck
#endif
