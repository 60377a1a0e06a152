//===- NoLint.h - NOLINT comments ---------------------------------------------===//
//
//   // NOLINT                        this line, every check
//   // NOLINT(kcheck-perf, api-*)    this line, these rules, tags or check ids (with *)
//   // NOLINTNEXTLINE(…)             the next line
//   // NOLINTBEGIN(…) … NOLINTEND(…) the lines between, both included
//   // NOLINTFILE(…)                 the whole file
//
// Only comments count, not text in string literals.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_ENGINE_SUPPRESS_NOLINT_H
#define KCHECK_ENGINE_SUPPRESS_NOLINT_H

#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace kcheck {

class NoLint {
public:
  /// AnyText: look at all of the text, not at C++ comments only (a Python file).
  NoLint(llvm::StringRef Text, bool AnyText = false);

  bool empty() const { return Ranges.empty(); }
  bool suppresses(unsigned Line, llvm::StringRef Rule, llvm::StringRef Tag) const;
  /// What was written wrong: "12: NOLINTBEGIN without NOLINTEND".
  std::vector<std::string> Problems;

private:
  struct Range {
    unsigned First, Last;
    std::vector<std::string> Patterns; ///< empty: every check
  };
  void comment(llvm::StringRef Text, unsigned Line);
  void directive(llvm::StringRef Kind, std::vector<std::string> Patterns, unsigned Line);

  std::vector<Range> Ranges, Open;
};

} // namespace kcheck
#endif
