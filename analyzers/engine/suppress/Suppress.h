//===- Suppress.h - takes the weight from findings ----------------------------===//
//
//   findings ─► path exemptions (policy) ─► NOLINT comments ─► baseline ─► unchanged lines ─► the rest counts
//
// A suppressed finding stays in the report, marked with what did it, and is counted.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_ENGINE_SUPPRESS_SUPPRESS_H
#define KCHECK_ENGINE_SUPPRESS_SUPPRESS_H

#include "analyzers/engine/suppress/Baseline.h"
#include "analyzers/engine/suppress/ChangedLines.h"

namespace kcheck {

struct SuppressOptions {
  bool NoLintComments = true;     ///< obey NOLINT in the candidate
  const Baseline *Known = nullptr;
  const ChangedLines *Changed = nullptr;
};

/// Marks what is suppressed and concludes the report anew. Problems with NOLINT comments are returned as
/// "file:line: …" lines.
std::vector<std::string> suppress(FileReport &F, const Policy &P, const SuppressOptions &O);

} // namespace kcheck
#endif
