#include "actions/guard/Macros.h"

using namespace kcheck;

/// Lines with what a backslash continues.
static std::vector<std::string> logicalLines(llvm::StringRef Text) {
  std::vector<std::string> Out(1);
  for (size_t I = 0; I < Text.size(); ++I) {
    size_t Next = I + 1 < Text.size() && Text[I + 1] == '\r' ? I + 2 : I + 1;
    if (Text[I] == '\\' && Next < Text.size() && Text[Next] == '\n') {
      Out.back() += ' ';
      I = Next;
    } else if (Text[I] == '\n') {
      Out.emplace_back();
    } else {
      Out.back() += Text[I];
    }
  }
  return Out;
}

MacroTexts::MacroTexts(llvm::StringRef Text, const clang::LangOptions &LO) {
  for (const std::string &Line : logicalLines(Text)) {
    llvm::StringRef L = llvm::StringRef(Line).trim();
    if (!L.consume_front("#"))
      continue;
    L = L.ltrim();
    bool Gone = L.consume_front("undef");
    if (!Gone && !L.consume_front("define"))
      continue;
    std::vector<Word> W = wordsOf(L, LO);
    if (W.empty() || !W.front().Identifier)
      continue;
    std::string &To = Meaning[W.front().Text];
    if (!Gone && W.size() > 1 && W[1].Text == "(" && W[1].Offset == W[0].Offset + W[0].Text.size())
      To += "()"; // takes arguments
    for (size_t I = 1; I < W.size(); ++I) {
      To += ' ' + W[I].Text;
      if (W[I].Identifier)
        Names[W.front().Text].push_back(W[I]);
    }
    To += Gone ? " undefined;" : ";";
  }
}

std::map<std::string, std::string> MacroTexts::namedBy(const std::vector<Word> &Words) const {
  std::map<std::string, std::string> Out;
  std::vector<Word> Open = Words;
  while (!Open.empty()) {
    Word W = std::move(Open.back());
    Open.pop_back();
    auto It = W.Identifier ? Meaning.find(W.Text) : Meaning.end();
    if (It == Meaning.end() || !Out.insert(*It).second)
      continue;
    if (auto More = Names.find(W.Text); More != Names.end())
      Open.insert(Open.end(), More->second.begin(), More->second.end());
  }
  return Out;
}
