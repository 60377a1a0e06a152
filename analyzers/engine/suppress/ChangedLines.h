//===- ChangedLines.h - only what a change touched counts -----------------------===//
//
// Git says which lines of a file differ from its state where the work branched off a revision. A finding counts when
// it, or a note of it, stands on such a line. A file that the revision does not have counts as a whole, and so does
// one of which git cannot say.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_ENGINE_SUPPRESS_CHANGEDLINES_H
#define KCHECK_ENGINE_SUPPRESS_CHANGEDLINES_H

#include "analyzers/engine/output/Report.h"
#include <map>
#include <optional>

namespace kcheck {

class ChangedLines {
public:
  /// An error where Folder's repository does not know the revision.
  static llvm::Expected<ChangedLines> since(llvm::StringRef Revision, llvm::StringRef Folder);

  /// Marks the findings of F on unchanged lines as suppressed by "unchanged". Safe from several threads.
  void apply(FileReport &F) const;

  using Ranges = std::vector<std::pair<unsigned, unsigned>>; ///< first and last line
  /// The new side's lines of `git diff -U0`. Where lines only went away, those on both sides of the gap.
  static Ranges parse(llvm::StringRef Diff);

private:
  std::optional<Ranges> of(const std::string &File) const; ///< nothing: all of it
  std::string Revision;
};

} // namespace kcheck
#endif
