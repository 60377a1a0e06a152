//===- ParseFlags.h - options of commands that parse one file ------------------===//
#ifndef KCHECK_TOOLS_KCHECK_PARSEFLAGS_H
#define KCHECK_TOOLS_KCHECK_PARSEFLAGS_H

#include "analyzers/engine/Driver.h"
#include "tools/kcheck/Command.h"

namespace kcheck::cli {

struct ParseFlags {
  std::string Arch, BuildDir;
  void add(CLI::App &Sub);
  /// Checked and joined with the words after `--`.
  llvm::Expected<ParseOptions> options(const Context &Ctx) const;
};

/// A file's text under the name that reports show.
llvm::Expected<LintInput> readCandidate(const std::string &File);

} // namespace kcheck::cli
#endif
