//===- Names.h - what the policy and the parsed headers know about a name -----===//
#ifndef KCHECK_RULES_COMPILE_NAMES_H
#define KCHECK_RULES_COMPILE_NAMES_H

#include "analyzers/engine/Policy.h"
#include "analyzers/engine/TranslationUnit.h"
#include "analyzers/rules/compile/SourceTokens.h"
#include <optional>

namespace kcheck::compile {

/// The compile table of rules.yaml, asked by name.
class NameTables {
public:
  explicit NameTables(const Policy &P);

  /// The attribute that Word is a misspelling of (`__global` -> `__global__`), or nothing. Bare words
  /// (`global`) count only when BareWords is set: the caller saw them where an attribute would stand.
  std::optional<std::string> misspeltAttribute(llvm::StringRef Word, bool BareWords) const;
  /// The header that brings Name (qualified by Scope where it has one), empty when unknown.
  std::string headerOf(llvm::StringRef Name, llvm::StringRef Scope) const;
  /// Header or one of its other spellings is included by the main file.
  bool isIncluded(llvm::StringRef Header, const SourceTokens &Source) const;
  struct Removed {
    int64_t Since = 0;
    std::string Instead;
  };
  std::optional<Removed> removed(llvm::StringRef Name) const;
  bool lackedByClang(llvm::StringRef Name) const;
  std::vector<std::string> list(llvm::StringRef Key) const;
  /// A header of the tables that Name misspells ("cooperative_group.h"), or empty.
  std::string nearestHeader(llvm::StringRef Name) const;

private:
  const Policy &P;
  llvm::StringMap<std::string> HeaderByName;
};

/// The declared name or macro most like Name: of the main file, of the CUDA headers. Empty when none is near.
struct NearName {
  std::string Name;
  bool IsClose = false; ///< a misspelling, not only a similar word
};
NearName nearestDeclared(TranslationUnit &TU, const SourceTokens &Source, llvm::StringRef Name);

} // namespace kcheck::compile
#endif
