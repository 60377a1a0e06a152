//===- Macros.h - what the macros of a file stand for ----------------------------===//
#ifndef KCHECK_ACTIONS_GUARD_MACROS_H
#define KCHECK_ACTIONS_GUARD_MACROS_H

#include "actions/engine/Tokens.h"
#include <map>

namespace kcheck {

/// The #define and #undef lines of a text: words that are the same in two texts need not mean the same in both.
class MacroTexts {
public:
  MacroTexts(llvm::StringRef Text, const clang::LangOptions &LO);
  /// The macros among Words, and those that they name in turn, with all that the text defines them as.
  std::map<std::string, std::string> namedBy(const std::vector<Word> &Words) const;

private:
  std::map<std::string, std::string> Meaning;
  std::map<std::string, std::vector<Word>> Names; ///< identifiers in the replacement
};

} // namespace kcheck
#endif
