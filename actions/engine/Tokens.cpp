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

std::pair<unsigned, unsigned> kcheck::withLine(StringRef Text, std::pair<unsigned, unsigned> Bytes) {
  size_t Line = Text.take_front(Bytes.first).rfind('\n') + 1, Next = Text.find('\n', Bytes.second);
  bool Alone = Next != StringRef::npos && Text.slice(Line, Bytes.first).trim().empty() && Text.slice(Bytes.second, Next).trim().empty();
  return Alone ? std::pair{unsigned(Line), unsigned(Next + 1)} : Bytes;
}
