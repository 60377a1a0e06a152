//===- ReviewOptions.h - what lint and check have in common -------------------===//
//
//   words ─► ReviewOptions ─► (files, policy, parse options) ─► FileReport a file ─► report out, exit status
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_TOOLS_KCHECK_REVIEWOPTIONS_H
#define KCHECK_TOOLS_KCHECK_REVIEWOPTIONS_H

#include "analyzers/engine/output/Report.h"
#include "tools/kcheck/Command.h"
#include <functional>

namespace kcheck::cli {

struct ReviewOptions {
  std::vector<std::string> Files;
  std::string Format = "text", Output, FailOn = "reject";
  std::string Arch, BuildDir;
  unsigned Jobs = 0; ///< 0: all cores
  bool Quiet = false;
};

/// Adds the common options to a sub-command.
void addReviewOptions(CLI::App &Sub, ReviewOptions &O);

/// Reads and lints every file, hands each report to Finish (the dynamic track of `check`), writes the report;
/// the exit status.
int review(const ReviewOptions &O, const Context &Ctx, const std::function<void(FileReport &)> &Finish);

} // namespace kcheck::cli
#endif
