//===- AsyncCopies.h - shared memory that is read before its copy has come ------===//
//
//   __pipeline_memcpy_async(&tile[t], &x[i], 16);
//   __pipeline_commit();
//   __syncthreads();                       // orders the threads, not the copies
//   sum += tile[t].x;
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_RULES_SYNC_ASYNCCOPIES_H
#define KCHECK_RULES_SYNC_ASYNCCOPIES_H

#include "matchers/VariableWrites.h"
#include "matchers/eval/Trace.h"
#include <utility>

namespace kcheck {

/// An asynchronous copy and a later read of what it brings, in a kernel that waits for no copy; nulls where there is none.
std::pair<const eval::Access *, const eval::Access *> readWithoutWait(const eval::KernelRun &Run, const eval::BlockRun &Block);

/// The read of what a copy fills whose group no wait has seen land by then, and the wait before it, which leaves too many in flight.
struct EarlyRead {
  const eval::Access *Copy = nullptr, *Read = nullptr; ///< null where there is none
  const clang::CallExpr *Wait = nullptr;
  unsigned InFlight = 0; ///< groups that were committed after the copy's by then
};
EarlyRead readBeforeItLands(const eval::KernelRun &Run, const eval::BlockRun &Block);

/// A loop that commits a group of copies only while more are to come, and waits for all groups but a few in every round: in
/// the last rounds the group at hand is one of those few.
struct LateGroup {
  const clang::Expr *Wait = nullptr; ///< null where there is none
  const clang::IfStmt *Commit = nullptr;
};
LateGroup lateGroup(const clang::FunctionDecl *Kernel, const VariableWrites &Writes);

} // namespace kcheck
#endif
