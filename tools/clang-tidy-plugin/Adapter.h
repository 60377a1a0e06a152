//===- Adapter.h - kcheck's rules as clang-tidy checks ------------------------===//
//
//   clang-tidy / clangd ─► one ClangTidyCheck a tag ─┐ share one TidyRun a translation unit
//                                                    └► runRules, once ─► findings, by check ─► diag()
//
// Serves stock clang-tidy (a plugin, --load) and kcheck-clangd. Options of a rule (rules.yaml) may be set as
// CheckOptions: `kcheck-template-bloat-too-many-instantiations.max_instantiations` or, for all tags of the
// rule, `kcheck-template-bloat.max_instantiations`; `CHECK.severity` weighs a tag.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_TOOLS_CLANG_TIDY_PLUGIN_ADAPTER_H
#define KCHECK_TOOLS_CLANG_TIDY_PLUGIN_ADAPTER_H

#include "clang-tidy/ClangTidyCheck.h"
#include "clang-tidy/ClangTidyModule.h"

namespace kcheck {

/// Adds one check for every tag of every rule of this program.
void addTidyChecks(clang::tidy::ClangTidyCheckFactories &Factories);

/// From now on kernels that loop long are tried for a third of the usual steps: a person waits for each answer.
void hurryTidyChecks();

} // namespace kcheck
#endif
