#include "analyzers/engine/driver/DispatchMacros.h"
#include "clang/AST/Decl.h"
#include "clang/Basic/DiagnosticSema.h"
#include "clang/Lex/Lexer.h"

using namespace kcheck;
using namespace clang;

namespace {

struct Word {
  tok::TokenKind Kind;
  llvm::StringRef Text;
  unsigned Line, Column;
};

std::vector<Word> wordsOf(llvm::StringRef Text, const LangOptions &Lang) {
  std::vector<Word> Out;
  Lexer L(SourceLocation(), Lang, Text.begin(), Text.begin(), Text.end());
  unsigned Line = 1;
  const char *LineStart = Text.begin(), *At = Text.begin();
  for (Token T;;) {
    L.LexFromRawLexer(T);
    if (T.is(tok::eof))
      return Out;
    const char *Start = L.getBufferLocation() - T.getLength();
    for (; At < Start; ++At)
      if (*At == '\n') {
        ++Line;
        LineStart = At + 1;
      }
    Out.push_back({T.getKind(), llvm::StringRef(Start, T.getLength()), Line, unsigned(Start - LineStart) + 1});
  }
}

/// What a call of a macro runs, if that is what its arguments look like.
struct Shape {
  unsigned Leading = 0;
  bool Lambda = false, Runs = false;
  size_t End = 0; ///< of the closing parenthesis
};

Shape shapeOf(llvm::ArrayRef<Word> W, size_t Open) {
  Shape S;
  int Depth = 0, Braces = 0, Angles = 0;
  size_t First = Open + 1; // of the argument
  for (size_t I = Open; I < W.size(); ++I) {
    Braces += W[I].Kind == tok::l_brace;
    Braces -= W[I].Kind == tok::r_brace;
    switch (W[I].Kind) {
    case tok::l_paren:
    case tok::l_brace:
      ++Depth;
      break;
    case tok::l_square:
      if (!S.Runs && llvm::all_of(W.slice(First, I - First), [](const Word &P) { return P.Kind == tok::l_paren; }))
        S.Runs = S.Lambda = true;
      ++Depth;
      break;
    case tok::r_paren:
    case tok::r_brace:
    case tok::r_square:
      if (--Depth == 0) {
        S.End = I;
        return S;
      }
      break;
    case tok::less:
      Angles += Depth == 1;
      break;
    case tok::greater:
      Angles -= Depth == 1;
      break;
    case tok::lesslessless:
      S.Runs |= Depth == 1;
      break;
    case tok::semi: // in the parentheses of a further macro, too
      S.Runs |= Braces == 0;
      break;
    case tok::comma:
      if (Depth != 1 || S.Runs)
        break;
      if (Angles > 0) // kernel<float, scalar_t><<<...
        S.Runs = true;
      else {
        ++S.Leading;
        First = I + 1;
      }
      break;
    default:
      break;
    }
  }
  S.Runs = false; // never closed
  return S;
}

bool isUndeclared(const ParseDiagnostic &D) {
  return D.ID == diag::err_undeclared_var_use || D.ID == diag::err_undeclared_var_use_suggest || D.ID == diag::err_unknown_typename ||
         D.ID == diag::err_unknown_typename_suggest || D.ID == diag::err_undeclared_use;
}

size_t errors(llvm::ArrayRef<ParseDiagnostic> Messages) {
  return size_t(llvm::count_if(Messages, [](const ParseDiagnostic &D) { return D.IsError && D.InMainFile; }));
}

} // namespace

void DispatchMacros::find(llvm::StringRef Text, llvm::ArrayRef<ParseDiagnostic> Messages, const TranslationUnitDecl &Unit, Preprocessor &PP) {
  const std::vector<Word> W = wordsOf(Text, PP.getLangOpts());
  for (size_t I = 1; I + 1 < W.size(); ++I) {
    if (W[I].Kind != tok::raw_identifier || W[I + 1].Kind != tok::l_paren)
      continue;
    tok::TokenKind Before = W[I - 1].Kind;
    if (Before == tok::coloncolon || Before == tok::period || Before == tok::arrow || Before == tok::hash || W[I - 1].Text == "define")
      continue;
    const IdentifierInfo *Name = PP.getIdentifierInfo(W[I].Text);
    if (PP.isMacroDefined(Name) || !Unit.lookup(Name).empty())
      continue;
    Shape S = shapeOf(W, I + 1);
    if (!S.Runs)
      continue;
    Call C{W[I].Text.str(), {W[I].Line, W[I].Column}, {W[S.End].Line, W[S.End].Column}};
    bool Fails = llvm::any_of(Messages, [&](const ParseDiagnostic &D) {
      std::pair At(D.Where.Line, D.Where.Column);
      return D.IsError && D.InMainFile && C.First <= At && At <= C.Last;
    });
    if (!Fails)
      continue;
    auto [At, New] = Macros.try_emplace(C.Name);
    Macro &M = At->second;
    M.Usable = New || (M.Usable && M.Leading == S.Leading && M.Lambda == S.Lambda);
    M.Leading = S.Leading;
    M.Lambda = S.Lambda;
    Calls.push_back(std::move(C));
  }
}

bool DispatchMacros::readAgain(llvm::StringRef Text, llvm::ArrayRef<ParseDiagnostic> Messages, const TranslationUnitDecl &Unit, Preprocessor &PP) {
  constexpr unsigned MostParses = 4;
  const bool First = ++Parses == 1;
  if (First) {
    ErrorsBefore = errors(Messages);
    find(Text, Messages, Unit, PP);
  }
  if (definitions().empty())
    return false;
  bool More = First;
  for (const ParseDiagnostic &D : Messages) {
    if (!isUndeclared(D) || !isValidAsciiIdentifier(D.Spelling))
      continue;
    for (const Call &C : Calls)
      if (std::pair At(D.Where.Line, D.Where.Column); C.First < At && At <= C.Last && !Macros.count(D.Spelling))
        More |= Macros[C.Name].Types.insert(D.Spelling).second;
  }
  if (More && Parses < MostParses)
    return true;
  if (!More && errors(Messages) < ErrorsBefore)
    return false;
  Macros.clear();
  return true;
}

std::vector<std::string> DispatchMacros::definitions() const {
  std::vector<std::string> Out;
  for (auto &[Name, M] : Macros) {
    if (!M.Usable)
      continue;
    std::string D = Name + "(";
    for (unsigned I = 0; I < M.Leading; ++I)
      D += "kcheck_" + std::to_string(I) + ", ";
    D += "...)=";
    D += M.Lambda ? "[&] { " : "{ ";
    for (const std::string &T : M.Types)
      D += "using " + T + " = float; ";
    Out.push_back(D + (M.Lambda ? "return (__VA_ARGS__)(); }()" : "__VA_ARGS__; }"));
  }
  return Out;
}
