//===- Baseline.h - findings that were there before ---------------------------===//
//
// A baseline is an earlier JSON report. A finding is known when the baseline has one with the same file name
// and fingerprint that no other finding has used up. The fingerprint is made of check, kernel and the text of
// the line, so that it survives edits elsewhere in the file.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_ENGINE_SUPPRESS_BASELINE_H
#define KCHECK_ENGINE_SUPPRESS_BASELINE_H

#include "analyzers/engine/output/Report.h"
#include <map>

namespace kcheck {

class Baseline {
public:
  static llvm::Expected<Baseline> load(llvm::StringRef File);

  /// Marks the known findings of F as suppressed by "baseline". Safe from several threads.
  void apply(FileReport &F) const;

private:
  std::map<std::pair<std::string, std::string>, unsigned> Known; ///< (file name, fingerprint) -> count
};

} // namespace kcheck
#endif
