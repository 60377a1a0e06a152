//===- OneShot.h - one file, read in a process of its own from the start --------===//
//
// A worker forked late copies every page that its parent had touched, one fault each: a third of the time of a
// single small file. So a call for one file forks first, before anything is set up:
//
//   parent ──fork──► child: does everything, prints the report
//      └─ waits; the child died? ──► does it again with worker processes, or reports the bound that was passed
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_ENGINE_DRIVER_ONESHOT_H
#define KCHECK_ENGINE_DRIVER_ONESHOT_H

#include "analyzers/engine/Driver.h"

namespace kcheck {

struct OneShot {
  FirstTry Try = FirstTry::NotMade; ///< for ParseOptions::Try
  std::optional<int> Exit;          ///< the parent's: the child did all the work, this is its exit status
};

/// Forks. Call before threads are started and before anything is written. Where no process can be had: NotMade.
OneShot startOneShot();

/// One arena, grown in large steps and backed by large pages: a thread's own arena would be extended by a page at a time,
/// and every page costs a fault. A parse touches some five megabytes.
void prepareHeap();

/// lint() in this process under bounds whose excess ends it, on a stack that deep nesting does not exhaust.
LintResult lintHere(llvm::function_ref<LintResult(const ParseOptions &)> Lint, const ParseOptions &Options);

/// The exit status by which a process says that it ran out of memory.
inline constexpr int OutOfMemoryExit = 77;
/// Bounds this process: memory, and no core file. Running out of memory ends it with OutOfMemoryExit.
void boundMemory(const ParseOptions &Options);
inline constexpr unsigned DeepStackBytes = 512u << 20; ///< reserved, not used, until some code nests deep

} // namespace kcheck
#endif
