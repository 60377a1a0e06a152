//===- SourceTokens.h - the main file as raw tokens ---------------------------===//
//
// The AST of a broken file lacks just the parts that are broken, so the compile layer looks at the tokens
// as they were typed (no macros expanded, comments dropped) to find where a statement, a declaration or an
// unbalanced brace begins and ends.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_RULES_COMPILE_SOURCETOKENS_H
#define KCHECK_RULES_COMPILE_SOURCETOKENS_H

#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>
#include <vector>

namespace kcheck::compile {

struct SourceToken {
  clang::tok::TokenKind Kind = clang::tok::unknown;
  unsigned Offset = 0, Line = 0, Column = 0;
  llvm::StringRef Text;
  bool AtLineStart = false;
  bool InDirective = false; ///< part of a preprocessor line

  bool isIdentifier() const { return Kind == clang::tok::raw_identifier; }
};

/// Half-open range of token indices.
struct TokenRange {
  size_t Begin = 0, End = 0;
};

struct IncludeLine {
  unsigned Line = 0;
  unsigned EndOffset = 0; ///< just past the directive's line break
  std::string Name;       ///< between <> or ""
  bool Angled = false;
};

class SourceTokens {
public:
  SourceTokens(const clang::SourceManager &SM, const clang::LangOptions &Lang);

  llvm::ArrayRef<SourceToken> tokens() const { return Tokens; }
  llvm::ArrayRef<IncludeLine> includes() const { return Includes; }
  llvm::StringRef buffer() const { return Buffer; }

  /// Index of the token that begins at or contains the place; the last one before it otherwise.
  size_t at(unsigned Line, unsigned Column) const;
  /// The statement or declaration head around token I: from after the last `;`, `{` or `}` to the next.
  TokenRange statement(size_t I) const;
  /// The top-level declaration around token I, its body included.
  TokenRange topLevel(size_t I) const;
  /// Line of the first brace or bracket that indentation shows to be unbalanced, with the line that opens
  /// it; nothing when all of them match.
  struct Unbalanced {
    unsigned OpenLine = 0;   ///< line of the opener without a partner, 0 for a stray closer
    unsigned FaultLine = 0;  ///< where the missing one belongs, or the stray one stands
    char Missing = '}';
    bool Stray = false;
  };
  std::optional<Unbalanced> unbalancedBrace() const;
  /// First indentation column of a line.
  unsigned indentOf(unsigned Line) const;
  bool includesHeader(llvm::StringRef Name) const;
  /// Offset where a new #include line belongs: after the last leading include, else the top of the file.
  unsigned includeInsertionOffset() const;

private:
  llvm::StringRef Buffer;
  std::vector<SourceToken> Tokens;
  std::vector<IncludeLine> Includes;
  std::vector<unsigned> LineStart;
};

} // namespace kcheck::compile
#endif
