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
#include <map>

namespace kcheck::cli {

struct ReviewOptions {
  std::vector<std::string> Files;
  std::map<std::string, std::string> Texts; ///< candidates by name that are not on disk, or not as they stand there
  std::string Format = "text", Output, FailOn = "reject";
  std::string Arch, BuildDir;
  std::string Config, Rules;
  bool NoLocalConfig = false, IgnoreNoLint = false;
  std::string BaselineReport, WriteBaselineReport, DiffBase;
  std::string Record; ///< empty: no; "-": the default place
  std::string BlockDim, GridDim;
  unsigned Jobs = 0; ///< 0: all cores
  bool Quiet = false;
};

/// Adds the common options to a sub-command.
void addReviewOptions(CLI::App &Sub, ReviewOptions &O);

/// Completes a file's report, whose static track is done, under the file's policy.
using Finish = std::function<void(FileReport &, const Policy &)>;

/// Lints every file and hands each report to Finish (the dynamic track of `check`), which is called from so many threads at once.
llvm::Expected<Report> makeReport(const ReviewOptions &O, const Context &Ctx, const Finish &Finish, unsigned Threads = 1);
/// The same, writes the report as the options say; the exit status.
int review(const ReviewOptions &O, const Context &Ctx, const Finish &Finish, unsigned Threads = 1);

/// For those who want the numbers only: of the static findings what keeps the code from compiling stays.
void dropStaticFindings(FileReport &F);

} // namespace kcheck::cli
#endif
