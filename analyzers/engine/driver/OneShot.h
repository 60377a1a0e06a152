//===- OneShot.h - one file, read in the process that was started ----------------===//
//
// A worker process copies every page that its parent had touched, one fault each: a third of the time of a single
// small file. So a call for one file reads it at once, under the same bounds, and where that ends badly the program
// starts itself again, told how:
//
//   kcheck lint FILE ──► reads it, prints the report
//      └─ a signal, or out of memory ──► exec of itself ──► worker processes, or the bound that was passed
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_ENGINE_DRIVER_ONESHOT_H
#define KCHECK_ENGINE_DRIVER_ONESHOT_H

#include "analyzers/engine/Driver.h"

namespace kcheck {

/// What became of the first try of a single file; for ParseOptions::Try. `Here`: this is the first one, and from now
/// on a deadly signal starts the program again with \p Words, main's argv. Call before anything is written.
FirstTry firstTry(char **Words);

/// One arena, grown in large steps and backed by large pages: a thread's own arena would be extended by a page at a time,
/// and every page costs a fault. A parse touches some five megabytes.
void prepareHeap();

/// lint() in this process under bounds whose excess ends it, on a stack that deep nesting does not exhaust.
LintResult lintHere(llvm::function_ref<LintResult(const ParseOptions &)> Lint, const ParseOptions &Options);

/// Standard error as it was before lintHere() silenced it for the while; safe in a signal handler.
void unsilenceErrors();

/// The exit status by which a process says that it ran out of memory.
inline constexpr int OutOfMemoryExit = 77;
/// Bounds this process: memory, and no core file. Running out of memory ends it with OutOfMemoryExit.
void boundMemory(const ParseOptions &Options);
inline constexpr unsigned DeepStackBytes = 512u << 20; ///< reserved, not used, until some code nests deep

} // namespace kcheck
#endif
