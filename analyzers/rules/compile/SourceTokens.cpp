#include "analyzers/rules/compile/SourceTokens.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;
using namespace kcheck::compile;

static bool isStatementEnd(const SourceToken &T) {
  return T.Kind == tok::semi || T.Kind == tok::l_brace || T.Kind == tok::r_brace;
}

SourceTokens::SourceTokens(const SourceManager &SM, const LangOptions &Lang) {
  Buffer = SM.getBufferData(SM.getMainFileID());
  LineStart.push_back(0);
  for (unsigned I = 0; I < Buffer.size(); ++I)
    if (Buffer[I] == '\n')
      LineStart.push_back(I + 1);

  Lexer Raw(SM.getLocForStartOfFile(SM.getMainFileID()), Lang, Buffer.begin(), Buffer.begin(), Buffer.end());
  bool InDirective = false;
  Token T;
  for (Raw.LexFromRawLexer(T); T.isNot(tok::eof); Raw.LexFromRawLexer(T)) {
    SourceToken S;
    S.Kind = T.getKind();
    S.Offset = SM.getFileOffset(T.getLocation());
    S.Text = Buffer.substr(S.Offset, T.getLength());
    S.AtLineStart = T.isAtStartOfLine();
    auto Next = std::upper_bound(LineStart.begin(), LineStart.end(), S.Offset);
    S.Line = Next - LineStart.begin();
    S.Column = S.Offset - *std::prev(Next) + 1;
    if (S.AtLineStart)
      InDirective = S.Kind == tok::hash;
    S.InDirective = InDirective;
    Tokens.push_back(S);
  }

  for (size_t I = 0; I + 1 < Tokens.size(); ++I) {
    if (!(Tokens[I].AtLineStart && Tokens[I].Kind == tok::hash && Tokens[I + 1].Text == "include"))
      continue;
    unsigned Line = Tokens[I].Line;
    unsigned End = Line < LineStart.size() ? LineStart[Line] : Buffer.size();
    llvm::StringRef Rest = Buffer.slice(Tokens[I + 1].Offset + Tokens[I + 1].Text.size(), End).trim();
    if (Rest.size() < 2)
      continue;
    IncludeLine Inc;
    Inc.Line = Line;
    Inc.EndOffset = End;
    Inc.Angled = Rest.front() == '<';
    Inc.Name = Rest.drop_front().take_until([](char C) { return C == '>' || C == '"'; }).str();
    Includes.push_back(std::move(Inc));
  }
}

size_t SourceTokens::at(unsigned Line, unsigned Column) const {
  auto Past = std::upper_bound(Tokens.begin(), Tokens.end(), std::pair(Line, Column),
                               [](std::pair<unsigned, unsigned> P, const SourceToken &T) {
                                 return P < std::pair(T.Line, T.Column);
                               });
  return Past == Tokens.begin() ? 0 : Past - Tokens.begin() - 1;
}

TokenRange SourceTokens::statement(size_t I) const {
  if (Tokens.empty())
    return {};
  auto Ends = [&](size_t J) { return isStatementEnd(Tokens[J]) || Tokens[J].InDirective != Tokens[I].InDirective; };
  size_t Begin = I;
  // `for (a; b; c)` is one statement: a semicolon inside parentheses does not end it.
  int Depth = 0;
  while (Begin > 0) {
    const SourceToken &P = Tokens[Begin - 1];
    if (P.Kind == tok::r_paren)
      ++Depth;
    else if (P.Kind == tok::l_paren && Depth)
      --Depth;
    if (Ends(Begin - 1) && !(P.Kind == tok::semi && Depth > 0))
      break;
    --Begin;
  }
  size_t End = I;
  while (End < Tokens.size() && !Ends(End))
    ++End;
  return {Begin, std::max(End, I + 1)};
}

TokenRange SourceTokens::topLevel(size_t I) const {
  // Namespaces and extern "C" blocks do not count as a level.
  std::vector<bool> Real;
  size_t Begin = 0;
  for (size_t J = 0; J < Tokens.size(); ++J) {
    const SourceToken &T = Tokens[J];
    if (T.InDirective)
      continue;
    bool Ended = false;
    if (T.Kind == tok::l_brace) {
      bool Transparent = llvm::none_of(Real, [](bool R) { return R; });
      if (Transparent) {
        TokenRange Head{Begin, J};
        bool Namespace = false, Extern = false, Params = false;
        for (size_t K = Head.Begin; K < Head.End; ++K) {
          Namespace |= Tokens[K].Text == "namespace";
          Extern |= Tokens[K].Text == "extern" && K + 1 < J && Tokens[K + 1].Kind == tok::string_literal;
          Params |= Tokens[K].Kind == tok::l_paren;
        }
        Transparent = Namespace || (Extern && !Params);
      }
      Real.push_back(!Transparent);
      Ended = Transparent;
    } else if (T.Kind == tok::r_brace) {
      bool WasReal = !Real.empty() && Real.back();
      if (!Real.empty())
        Real.pop_back();
      Ended = llvm::none_of(Real, [](bool R) { return R; });
      // `struct S { … } s;` goes on to the semicolon.
      if (Ended && WasReal && J + 1 < Tokens.size() && Tokens[J + 1].Kind == tok::semi)
        Ended = false;
    } else if (T.Kind == tok::semi) {
      Ended = llvm::none_of(Real, [](bool R) { return R; });
    }
    if (!Ended)
      continue;
    if (J >= I)
      return {Begin, J + 1};
    Begin = J + 1;
  }
  return {Begin, Tokens.size()};
}

unsigned SourceTokens::indentOf(unsigned Line) const {
  if (Line == 0 || Line > LineStart.size())
    return 0;
  llvm::StringRef Rest = Buffer.substr(LineStart[Line - 1]);
  unsigned N = 0;
  while (N < Rest.size() && (Rest[N] == ' ' || Rest[N] == '\t'))
    ++N;
  return N;
}

std::optional<SourceTokens::Unbalanced> SourceTokens::unbalancedBrace() const {
  // Only where the counts differ does indentation decide which one is missing.
  int Balance = 0;
  for (const SourceToken &T : Tokens)
    if (!T.InDirective)
      Balance += T.Kind == tok::l_brace ? 1 : T.Kind == tok::r_brace ? -1 : 0;
  if (Balance == 0)
    return std::nullopt;

  struct OpenBrace {
    unsigned Line, Indent;
    bool IsScope; ///< namespace or extern "C": definitions inside begin in column 1
  };
  std::vector<OpenBrace> Open;
  const SourceToken *Start = nullptr; // first token of the statement at hand
  unsigned LastLine = 0;
  int Parens = 0;
  for (const SourceToken &T : Tokens) {
    if (T.InDirective)
      continue;
    if (!Start)
      Start = &T;
    Parens += T.Kind == tok::l_paren ? 1 : T.Kind == tok::r_paren ? -1 : 0;
    // A definition in column 1 inside a body that began in column 1: that body was not closed.
    if (Balance > 0 && T.AtLineStart && T.Column == 1 && T.isIdentifier() && Start == &T)
      for (const OpenBrace &O : Open)
        if (!O.IsScope && O.Indent == 0)
          return Unbalanced{Open.back().Line, LastLine, '}', false};
    if (T.Kind == tok::l_brace) {
      Open.push_back({T.Line, indentOf(Start->Line), Start->Text == "namespace" || Start->Text == "extern"});
      Parens = 0;
    }
    if (T.Kind == tok::r_brace) {
      if (Open.empty())
        return Unbalanced{0, T.Line, '}', true};
      unsigned Indent = indentOf(T.Line);
      if (T.AtLineStart && Balance > 0 && Indent < Open.back().Indent)
        return Unbalanced{Open.back().Line, T.Line, '}', false};
      if (T.AtLineStart && Balance < 0 && Indent > Open.back().Indent)
        return Unbalanced{Open.back().Line, T.Line, '}', true};
      Open.pop_back();
      Parens = 0;
    }
    if (T.Kind == tok::l_brace || T.Kind == tok::r_brace || (T.Kind == tok::semi && Parens <= 0))
      Start = nullptr;
    LastLine = T.Line;
  }
  return Unbalanced{Open.empty() ? 0 : Open.back().Line, LastLine, '}', Open.empty()};
}

bool SourceTokens::includesHeader(llvm::StringRef Name) const {
  return llvm::any_of(Includes, [&](const IncludeLine &I) { return I.Name == Name; });
}

unsigned SourceTokens::includeInsertionOffset() const {
  return Includes.empty() ? 0 : Includes.back().EndOffset;
}
