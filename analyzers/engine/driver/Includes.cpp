#include "analyzers/engine/driver/Includes.h"
#include "llvm/ADT/StringExtras.h"

using namespace kcheck;
using llvm::StringRef;

static StringRef skipSpaceAndComments(StringRef S) {
  for (;;) {
    S = S.ltrim();
    if (S.starts_with("//"))
      S = S.drop_until([](char C) { return C == '\n'; });
    else if (S.starts_with("/*"))
      S = S.substr(std::min(S.size(), S.find("*/", 2))).drop_front(S.find("*/", 2) == StringRef::npos ? 0 : 2);
    else
      return S;
  }
}

/// Takes `#word` and the rest of its line from S; false where S does not start with a directive.
static bool directive(StringRef &S, StringRef &Word, StringRef &Rest) {
  StringRef T = S;
  if (!T.consume_front("#"))
    return false;
  T = T.ltrim(" \t");
  Word = T.take_while([](char C) { return llvm::isAlnum(C) || C == '_'; });
  T = T.drop_front(Word.size());
  Rest = T.take_until([](char C) { return C == '\n'; });
  if (Rest.rtrim("\r").ends_with("\\"))
    return false;
  S = T.drop_front(Rest.size());
  Rest = Rest.trim(" \t\r");
  return true;
}

std::vector<IncludeName> kcheck::leadingIncludes(StringRef S) {
  std::vector<IncludeName> Out;
  S.consume_front("\xEF\xBB\xBF");
  StringRef Guard;
  for (;;) {
    S = skipSpaceAndComments(S);
    StringRef Word, Rest;
    if (!directive(S, Word, Rest))
      return Out;
    StringRef FirstWord = Rest.take_until([](char C) { return C == ' ' || C == '\t' || C == '/'; });
    if (Word == "pragma" && FirstWord == "once")
      continue;
    if (Word == "ifndef" && Guard.empty() && Out.empty()) {
      Guard = FirstWord;
      continue;
    }
    if (Word == "define" && !Guard.empty() && Rest.split("//").first.trim() == Guard)
      continue;
    if (Word != "include")
      return Out;
    char Close = Rest.starts_with("<") ? '>' : Rest.starts_with("\"") ? '"' : 0;
    size_t End = Close ? Rest.find(Close, 1) : StringRef::npos;
    if (End == StringRef::npos)
      return Out;
    Out.push_back({Rest.slice(1, End).str(), Close == '>'});
  }
}
