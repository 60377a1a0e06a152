//===- EditReports.h - actions and the guard as JSON ------------------------------===//
#ifndef KCHECK_TOOLS_KCHECK_EDITREPORTS_H
#define KCHECK_TOOLS_KCHECK_EDITREPORTS_H

#include "actions/engine/Rewrite.h"
#include "actions/guard/Guard.h"

namespace kcheck::cli {

/// "kcheck.actions/1"; takes what it can out of F.
llvm::json::Value actionsJson(llvm::StringRef File, FileActions &F);
/// "kcheck.guard/1"
llvm::json::Value guardJson(llvm::StringRef Parent, llvm::StringRef Candidate, const GuardResult &R);

} // namespace kcheck::cli
#endif
