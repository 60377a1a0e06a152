#include "analyzers/engine/TranslationUnit.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"

using namespace kcheck;

Location TranslationUnit::where(clang::SourceLocation Loc) const {
  Location L;
  if (Loc.isInvalid())
    return L;
  clang::PresumedLoc P = sources().getPresumedLoc(sources().getExpansionLoc(Loc));
  if (P.isInvalid())
    return L;
  L.File = P.getFilename();
  L.Line = P.getLine();
  L.Column = P.getColumn();
  return L;
}

std::string TranslationUnit::text(clang::SourceRange Range) const {
  if (Range.isInvalid())
    return {};
  clang::CharSourceRange Chars = clang::Lexer::makeFileCharRange(
      clang::CharSourceRange::getTokenRange(Range), sources(), AST.getLangOpts());
  if (Chars.isInvalid())
    Chars = clang::CharSourceRange::getTokenRange(sources().getExpansionRange(Range).getAsRange());
  return clang::Lexer::getSourceText(Chars, sources(), AST.getLangOpts()).str();
}
