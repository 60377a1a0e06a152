//===- Driver.h - parse a candidate once, run the rules -----------------------===//
#ifndef KCHECK_ENGINE_DRIVER_H
#define KCHECK_ENGINE_DRIVER_H

#include "analyzers/engine/KernelSummary.h"
#include "analyzers/engine/Rule.h"

namespace kcheck {

struct ParseOptions {
  std::string Arch;                   ///< "sm_90"; empty: sm_80
  std::vector<std::string> ExtraArgs; ///< Clang arguments after `--`
  std::string CudaRoot;               ///< empty: find it; "none": act as if absent
  std::string BuildDir;               ///< folder of a compile_commands.json; empty: none
};

/// What the static track says of one file.
struct LintResult {
  std::string File;
  std::vector<Finding> Findings;
  std::vector<KernelSummary> Kernels;
  std::vector<PassedCheck> Passed;
  double ElapsedMs = 0;
  std::string Error; ///< kcheck could not look at the file: exit status 2
};

/// Parses Text (the content of File) and calls Use while the AST is alive.
llvm::Error parse(llvm::StringRef File, llvm::StringRef Text, const ParseOptions &Options, View Which,
                  llvm::function_ref<void(TranslationUnit &)> Use);

/// The static track on one file.
LintResult lint(llvm::StringRef File, llvm::StringRef Text, const ParseOptions &Options, const Policy &P);

} // namespace kcheck
#endif
