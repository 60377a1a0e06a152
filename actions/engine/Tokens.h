//===- Tokens.h - the words of a text --------------------------------------------===//
#ifndef KCHECK_ACTIONS_ENGINE_TOKENS_H
#define KCHECK_ACTIONS_ENGINE_TOKENS_H

#include "clang/Basic/LangOptions.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace kcheck {

struct Word {
  std::string Text;
  unsigned Offset;
  bool Identifier;
};

/// Tokens of Text in order, comments and white space gone.
std::vector<Word> wordsOf(llvm::StringRef Text, const clang::LangOptions &LO);

/// A statement's bytes with its line and the line's end, where nothing else stands there.
std::pair<unsigned, unsigned> withLine(llvm::StringRef Text, std::pair<unsigned, unsigned> Bytes);

} // namespace kcheck
#endif
