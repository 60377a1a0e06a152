//===- ReviewOptions.h - what lint and check have in common -------------------===//
//
//   words ─► ReviewOptions ─► ReviewSetup (files, policies, baseline) ─► FileReport a file ─► report, exit status
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
  std::string Config, Rules;
  bool NoLocalConfig = false, IgnoreNoLint = false;
  std::string BaselineReport, WriteBaselineReport;
  std::string Record; ///< empty: no; "-": the default place
  std::string BlockDim, GridDim;
  unsigned Jobs = 0; ///< 0: all cores
  bool Quiet = false;
};

/// Adds the common options to a sub-command.
void addReviewOptions(CLI::App &Sub, ReviewOptions &O);

/// Lints every file, hands each report with its policy to Finish (the dynamic track of `check`), writes the report; the
/// exit status. Finish is called from so many threads at once.
int review(const ReviewOptions &O, const Context &Ctx, const std::function<void(FileReport &, const Policy &)> &Finish, unsigned Threads = 1);

} // namespace kcheck::cli
#endif
