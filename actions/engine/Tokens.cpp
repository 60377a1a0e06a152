#include "actions/engine/Tokens.h"
#include "clang/Lex/Lexer.h"

using namespace kcheck;
using namespace clang;

std::vector<Word> kcheck::wordsOf(llvm::StringRef Text, const LangOptions &LO) {
  std::vector<Word> Out;
  std::string Copy = Text.str(); // the lexer wants a zero byte behind
  Lexer L(SourceLocation(), LO, Copy.data(), Copy.data(), Copy.data() + Copy.size());
  Token T;
  while (true) {
    bool End = L.LexFromRawLexer(T);
    if (T.isNot(tok::eof)) {
      unsigned At = unsigned(L.getBufferLocation() - Copy.data()) - T.getLength();
      Out.push_back({Copy.substr(At, T.getLength()), At, T.is(tok::raw_identifier)});
    }
    if (End || T.is(tok::eof))
      return Out;
  }
}
