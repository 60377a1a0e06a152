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
  /// A policy file laid over Base: maps are merged key by key, lists replaced (`[inherit, x]` extends).
  /// Errors carry file:line:column of every bad key or value, with the nearest known name.
  static llvm::Expected<Policy> load(llvm::StringRef File, const Policy &Base);
  /// The same from memory; Name stands in the messages.
  static llvm::Expected<Policy> parse(llvm::StringRef Name, llvm::StringRef Yaml, const Policy &Base);

  /// Keeps only what a comma-separated list selects: "kcheck-sync,-kcheck-perf,kcheck-api-*". A list that
  /// starts with '-' takes away from everything. Rules, tags and check ids are known names.
  llvm::Error select(llvm::StringRef List);
  /// Pattern of a path exemption (`exempt:`) that takes the check away from this file, or empty.
  std::string exemption(llvm::StringRef File, llvm::StringRef Rule, llvm::StringRef Tag) const;

  bool enabled(llvm::StringRef Rule) const;
  Severity severity(llvm::StringRef Rule, llvm::StringRef Tag, Certainty Sure) const;
  /// options: of a rule ("kcheck-template-bloat", "max_instantiations"), with the default of the call.
  int64_t intOption(llvm::StringRef Rule, llvm::StringRef Name, int64_t Default) const;
  bool boolOption(llvm::StringRef Rule, llvm::StringRef Name, bool Default) const;
  double realOption(llvm::StringRef Rule, llvm::StringRef Name, double Default) const;
  std::vector<std::string> listOption(llvm::StringRef Rule, llvm::StringRef Name) const;
  /// Any table of the policy by its path, e.g. {"api", "removed"}; null when absent.
  const llvm::json::Value *table(llvm::ArrayRef<llvm::StringRef> Path) const;

  /// True when Pattern names this check: "*", a rule, a tag, a check id, each with * wildcards.
  static bool names(llvm::StringRef Pattern, llvm::StringRef Rule, llvm::StringRef Tag);
  /// Every rule id with its tags, as rules.yaml lists them.
  std::vector<std::pair<std::string, std::vector<std::string>>> ruleTags() const;

  llvm::json::Value Root = llvm::json::Object{}; ///< the whole policy as one JSON value
};

} // namespace kcheck
#endif
