//===- Policy.h - rules.yaml, compiled ----------------------------------------===//
//
// Severity, options, API tables and exemptions are data: rules.yaml at the repository's root is compiled
// into the program; --config files and per-directory overrides are laid over it.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_ENGINE_POLICY_H
#define KCHECK_ENGINE_POLICY_H

#include "analyzers/engine/Finding.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace kcheck {

class Policy {
public:
  /// The built-in policy.
  static const Policy &builtin();

  bool enabled(llvm::StringRef Rule) const;
  Severity severity(llvm::StringRef Rule, llvm::StringRef Tag, Certainty Sure) const;
  /// options: of a rule ("kcheck-template-bloat", "max_instantiations"), with the default of the call.
  int64_t intOption(llvm::StringRef Rule, llvm::StringRef Name, int64_t Default) const;
  bool boolOption(llvm::StringRef Rule, llvm::StringRef Name, bool Default) const;
  double realOption(llvm::StringRef Rule, llvm::StringRef Name, double Default) const;
  std::vector<std::string> listOption(llvm::StringRef Rule, llvm::StringRef Name) const;
  /// Any table of the policy by its path, e.g. {"api", "removed"}; null when absent.
  const llvm::json::Value *table(llvm::ArrayRef<llvm::StringRef> Path) const;

  llvm::json::Value Root = llvm::json::Object{}; ///< the whole policy as one JSON value
};

} // namespace kcheck
#endif
