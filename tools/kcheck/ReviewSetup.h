//===- ReviewSetup.h - the options of a review, checked and opened ------------===//
#ifndef KCHECK_TOOLS_KCHECK_REVIEWSETUP_H
#define KCHECK_TOOLS_KCHECK_REVIEWSETUP_H

#include "analyzers/engine/PolicyTree.h"
#include "analyzers/engine/suppress/Baseline.h"
#include "analyzers/engine/suppress/ChangedLines.h"
#include "tools/kcheck/ReviewOptions.h"

namespace kcheck::cli {

/// All that can be wrong with the options is found here, before any file is looked at.
struct ReviewSetup {
  static llvm::Expected<std::unique_ptr<ReviewSetup>> make(const ReviewOptions &O, const Context &Ctx);

  Format Form = Format::Text;
  Verdict FailFrom = Verdict::Reject;
  std::vector<std::string> Files;
  ParseOptions Parse;
  std::optional<PolicyTree> Policies;
  std::optional<Baseline> Known;
  std::optional<ChangedLines> Changed;

private:
  Policy Base;
};

/// "sm_90" and the like; the error names the nearest known one.
llvm::Error checkArch(llvm::StringRef Arch);

/// "X[,Y[,Z]]" as three numbers.
llvm::Expected<llvm::json::Array> parseDim(llvm::StringRef Option, llvm::StringRef Text);

} // namespace kcheck::cli
#endif
