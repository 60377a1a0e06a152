//===- Rewrite.h - from a named action to a checked text -----------------------===//
//
//   text ─► parse ─► sites ─► edits ─► formatted text ─► parse ─► compiles? no new reject? same elements touched? ─► text
//                                                          └── no: an error with the reason, and no text
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_ACTIONS_ENGINE_REWRITE_H
#define KCHECK_ACTIONS_ENGINE_REWRITE_H

#include "actions/engine/Action.h"
#include "analyzers/engine/Driver.h"

namespace kcheck {

/// A site as plain data.
struct SiteSummary {
  std::string Kernel;
  Location Where;
  std::string What, WhyNot;
  std::vector<ParameterSet> Sets;
};

struct ActionSummary {
  const ActionInfo *Info = nullptr;
  std::vector<SiteSummary> Sites;
};

struct FileActions {
  std::vector<std::string> Kernels;
  std::vector<ActionSummary> Actions;
  std::vector<std::string> Errors; ///< why the file does not compile: nothing applies then
};

/// Every action at every site of the file; only those of Only when it names one.
llvm::Expected<FileActions> findActions(llvm::StringRef File, llvm::StringRef Text, const ParseOptions &Options, const ActionInfo *Only = nullptr);

struct RewriteRequest {
  std::string Action;
  Settings Set;
  std::string Kernel;  ///< empty: any
  unsigned Line = 0;   ///< of the site; 0: the first where the action applies
};

struct RewriteResult {
  std::string Text;
  std::string Kernel, What;
  Location Where;
  Settings Used;
};

/// The text after the action, or the reason why there is none: a precondition, bad settings, or a result that did not
/// hold up (the last would be a fault of the action, and says so).
llvm::Expected<RewriteResult> rewrite(llvm::StringRef File, llvm::StringRef Text, const ParseOptions &Options, const RewriteRequest &R);

} // namespace kcheck
#endif
