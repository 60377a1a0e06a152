#include "analyzers/rules/compile/RootCause.h"
#include "analyzers/rules/compile/Names.h"
#include "clang/AST/Decl.h"
#include "clang/Basic/AllDiagnostics.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"

using namespace clang;
using namespace kcheck;
using namespace kcheck::compile;

namespace {

/// What a front-end error is about, by its number.
enum class Kind {
  MissingFile,   ///< #include of a file that is not there
  Undeclared,    ///< a name, type, template or namespace member that nothing declares
  NoMember,      ///< a member that the class lacks
  OpenArray,     ///< T v[] without a size, or with one that is no constant
  SharedExtern,  ///< `extern __shared__ T v`: fine for nvcc
  SharedInit,    ///< initialised __shared__ variable
  WrongSide,     ///< host function in device code, or the reverse
  Syntax,        ///< lexer and parser
  Types          ///< all the rest of semantic analysis
};

bool isLexOrParse(unsigned ID) {
  if (ID == diag::err_expected || ID == diag::err_expected_either || ID == diag::err_expected_after)
    return true;
  return ID >= diag::DIAG_START_LEX && ID < diag::DIAG_START_AST;
}

bool callsTheOtherSide(const ParseDiagnostic &D) {
  for (const FindingNote &N : D.Notes)
    if (llvm::StringRef(N.Message).contains("call to __host__ function from") ||
        llvm::StringRef(N.Message).contains("call to __device__ function from"))
      return true;
  return false;
}

Kind classify(const ParseDiagnostic &D) {
  llvm::StringRef Text = D.Message;
  switch (D.ID) {
  case diag::err_pp_file_not_found:
  case diag::err_pp_file_not_found_angled_include_not_fatal:
  case diag::err_pp_file_not_found_typo_not_fatal:
    return Kind::MissingFile;
  case diag::err_undeclared_var_use:
  case diag::err_undeclared_var_use_suggest:
  case diag::err_undeclared_use:
  case diag::err_undeclared_use_suggest:
  case diag::err_unknown_typename:
  case diag::err_unknown_typename_suggest:
  case diag::err_unknown_nested_typename_suggest:
  case diag::err_typename_nested_not_found:
  case diag::err_no_template:
  case diag::err_no_template_suggest:
  case diag::err_expected_namespace_name:
    return Kind::Undeclared;
  case diag::err_no_member:
  case diag::err_no_member_suggest:
  case diag::err_no_member_template:
  case diag::err_no_member_template_suggest:
    return Text.contains("in namespace") || Text.contains("in the global namespace") ? Kind::Undeclared : Kind::NoMember;
  case diag::err_typecheck_incomplete_array_needs_initializer:
  case diag::err_vla_decl_has_static_storage:
  case diag::err_cuda_vla:
    return Kind::OpenArray;
  case diag::err_cuda_extern_shared:
    return Kind::SharedExtern;
  case diag::err_shared_var_init:
    return Kind::SharedInit;
  case diag::err_ref_bad_target:
  case diag::err_ref_bad_target_global_initializer:
    return Kind::WrongSide;
  default:
    if (isLexOrParse(D.ID))
      return Kind::Syntax;
    return callsTheOtherSide(D) ? Kind::WrongSide : Kind::Types;
  }
}

/// The words between the first and second pair of single quotes.
std::string quoted(llvm::StringRef Message, unsigned Index) {
  for (unsigned I = 0;; ++I) {
    size_t Open = Message.find('\'');
    if (Open == llvm::StringRef::npos)
      return {};
    size_t Close = Message.find('\'', Open + 1);
    if (Close == llvm::StringRef::npos)
      return {};
    if (I == Index)
      return Message.slice(Open + 1, Close).str();
    Message = Message.drop_front(Close + 1);
  }
}

bool looksLikeCuda(llvm::StringRef Name) {
  return Name.starts_with("__") || Name.starts_with("cuda") || Name.starts_with("atomic") || Name.starts_with("tex") ||
         Name.starts_with("surf");
}

class CauseFinder {
public:
  CauseFinder(TranslationUnit &TU, const Policy &P, const SourceTokens &Source)
      : TU(TU), Tables(P), Source(Source) {}

  std::vector<Cause> run();

private:
  TranslationUnit &TU;
  NameTables Tables;
  const SourceTokens &Source;
  std::vector<Cause> Causes;
  std::vector<TokenRange> Dead;       // whatever goes wrong in here follows from a cause
  std::vector<size_t> SyntaxIn;       // statements (by first token) with a syntax error
  std::vector<TokenRange> DeadSyntax; // further syntax errors in here follow from one
  llvm::StringSet<> Tainted, SeenNames, SeenHeaders;
  std::vector<std::pair<unsigned, std::string>> Missing; // line, third-party header
  bool ThirdPartyMissing = false;

  const SourceToken &token(size_t I) const { return Source.tokens()[I]; }
  static bool inside(const std::vector<TokenRange> &Ranges, size_t I) {
    return llvm::any_of(Ranges, [&](TokenRange R) { return I >= R.Begin && I < R.End; });
  }
  void taint(TokenRange R, llvm::StringRef Except);
  Cause &add(llvm::StringRef Tag, const ParseDiagnostic &D, size_t At, std::string Message, std::string Name = {});
  Fix replaceToken(size_t I, llvm::StringRef By) const;
  Fix insertAt(unsigned Offset, std::string Text, std::string What) const;

  void missingFile(const ParseDiagnostic &D, size_t I);
  bool misspeltAttribute(const ParseDiagnostic &D, size_t I, Kind K);
  void undeclared(const ParseDiagnostic &D, size_t I);
  void noMember(const ParseDiagnostic &D, size_t I);
  void openArray(const ParseDiagnostic &D, size_t I);
  void sharedInit(const ParseDiagnostic &D, size_t I);
  void syntax(const ParseDiagnostic &D, size_t I);
  void types(const ParseDiagnostic &D, size_t I, Kind K);
  bool unbalanced(llvm::ArrayRef<const ParseDiagnostic *> Errors);
  void reportMissingHeaders();
  bool looksLikeSharedArray(llvm::StringRef Name, size_t At) const;
  bool hostNameThatNvccHas(llvm::StringRef Name, size_t At) const;
  std::optional<size_t> nameToken(llvm::StringRef Name, size_t Near) const;
  bool isKeyword(llvm::StringRef Name) const { return TU.AST.Idents.get(Name).isKeyword(TU.AST.getLangOpts()); }
  bool isRealName(llvm::StringRef Name) const;
  std::string fileName() const {
    return TU.where(TU.sources().getLocForStartOfFile(TU.sources().getMainFileID())).File;
  }
};

void CauseFinder::taint(TokenRange R, llvm::StringRef Except) {
  for (size_t I = R.Begin; I < R.End; ++I)
    if (token(I).isIdentifier() && token(I).Text != Except && !isKeyword(token(I).Text))
      Tainted.insert(token(I).Text);
}

Cause &CauseFinder::add(llvm::StringRef Tag, const ParseDiagnostic &D, size_t At, std::string Message, std::string Name) {
  Cause C;
  C.Tag = Tag.str();
  C.Where = D.Where;
  if (At < Source.tokens().size()) {
    C.Where.Line = token(At).Line;
    C.Where.Column = token(At).Column;
  }
  if (C.Where.File.empty())
    C.Where.File = fileName();
  C.Message = std::move(Message);
  C.Name = std::move(Name);
  C.FrontEnd = D.Message;
  if (ThirdPartyMissing)
    C.Sure = Certainty::Doubt;
  Causes.push_back(std::move(C));
  return Causes.back();
}

Fix CauseFinder::replaceToken(size_t I, llvm::StringRef By) const {
  Fix F;
  F.Description = llvm::formatv("replace `{0}` by `{1}`", token(I).Text, By).str();
  F.Edits.push_back({fileName(), token(I).Offset, unsigned(token(I).Text.size()), By.str()});
  return F;
}

Fix CauseFinder::insertAt(unsigned Offset, std::string Text, std::string What) const {
  Fix F;
  F.Description = std::move(What);
  F.Edits.push_back({fileName(), Offset, 0, std::move(Text)});
  return F;
}

/// The token spelt Name at or right after Near, on the same line.
std::optional<size_t> CauseFinder::nameToken(llvm::StringRef Name, size_t Near) const {
  llvm::StringRef Last = Name.rsplit("::").second.empty() ? Name : Name.rsplit("::").second;
  for (size_t I = Near > 2 ? Near - 2 : 0; I < Source.tokens().size() && I < Near + 8; ++I)
    if (token(I).Text == Last && token(I).Line == token(Near).Line)
      return I;
  return std::nullopt;
}

/// A keyword, a macro, or declared by a header. (In the main file a misspelt attribute can look like a
/// declaration: `__global__ __launch_bound__(256) void k()` declares a function __launch_bound__.)
bool CauseFinder::isRealName(llvm::StringRef Name) const {
  IdentifierInfo &II = TU.AST.Idents.get(Name);
  if (isKeyword(Name) || TU.PP.getMacroInfo(&II))
    return true;
  return llvm::any_of(TU.AST.getTranslationUnitDecl()->lookup(DeclarationName(&II)),
                      [&](NamedDecl *D) { return !TU.inMainFile(D->getLocation()); });
}

void CauseFinder::missingFile(const ParseDiagnostic &D, size_t I) {
  std::string Name = quoted(D.Message, 0);
  std::string Near = Tables.nearestHeader(Name);
  // <cudla.h> with cudlaCreateDevice() below it is a library of that name, however near it comes to another.
  llvm::StringRef Stem = llvm::StringRef(Name).rsplit('/').second.empty() ? llvm::StringRef(Name) : llvm::StringRef(Name).rsplit('/').second;
  Stem = Stem.split('.').first;
  bool Used = llvm::any_of(Source.tokens(), [&](const SourceToken &T) { return T.Text.size() > Stem.size() && T.Text.starts_with(Stem); });
  if (Near.empty() || Used) {
    Missing.push_back({D.Where.Line, Name});
    ThirdPartyMissing = true;
    return;
  }
  Cause &C = add("missing_include", D, I, llvm::formatv("there is no header <{0}>; <{1}> is meant", Name, Near), Name);
  size_t At = Source.buffer().find(Name, token(I).Offset > 0 ? token(I).Offset : 0);
  if (At != llvm::StringRef::npos) {
    Fix F;
    F.Description = "include <" + Near + ">";
    F.Edits.push_back({fileName(), unsigned(At), unsigned(Name.size()), Near});
    C.Fixes.push_back(std::move(F));
  }
  SeenHeaders.insert(Near);
}

bool CauseFinder::misspeltAttribute(const ParseDiagnostic &D, size_t I, Kind K) {
  TokenRange S = Source.statement(I);
  // Clang stumbles over the word itself or over what follows it in the same declaration.
  for (size_t J = S.Begin; J < S.End && J <= I + 1; ++J) {
    const SourceToken &T = token(J);
    if (!T.isIdentifier() || (K == Kind::Undeclared && T.Text != quoted(D.Message, 0)))
      continue;
    bool BeforeType = J + 1 < Source.tokens().size() && token(J + 1).isIdentifier();
    bool Specifier = BeforeType && (J == S.Begin || token(J - 1).isIdentifier());
    std::optional<std::string> Meant = Tables.misspeltAttribute(T.Text, Specifier);
    if (!Meant || isRealName(T.Text) || (!T.Text.starts_with("_") && !T.Text.ends_with("_") && !Specifier))
      continue;
    std::string Word = T.Text.str();
    if (!SeenNames.insert((Word + "@" + llvm::Twine(T.Line)).str()).second)
      return true;
    Cause &C = add("misspelt_attribute", D, J, llvm::formatv("`{0}` is no CUDA attribute; `{1}` is meant", Word, *Meant), Word);
    C.Fixes.push_back(replaceToken(J, *Meant));
    TokenRange Top = Source.topLevel(J);
    // At namespace scope the whole declaration is lost, in a function the one statement.
    bool AtTop = Top.Begin == S.Begin;
    Dead.push_back(AtTop ? Top : S);
    taint(S, Word);
    return true;
  }
  return false;
}

void CauseFinder::undeclared(const ParseDiagnostic &D, size_t I) {
  std::string Name = quoted(D.Message, 0);
  if (Name.empty())
    Name = token(I).Text.str();
  std::string Scope;
  if (llvm::StringRef(D.Message).contains("in namespace"))
    Scope = quoted(D.Message, 1);
  std::optional<size_t> Token = nameToken(Name, I);
  size_t At = Token.value_or(I);
  std::string Full = Scope.empty() ? Name : Scope + "::" + Name;
  TokenRange Statement = Source.statement(At);
  if (Tables.lackedByClang(Name))
    return;
  if (!SeenNames.insert(Full).second)
    return;

  std::string Header = Tables.headerOf(Name, Scope);
  bool Dotted = At > 1 && (token(At - 1).Kind == tok::coloncolon);
  if (!Header.empty() && !Tables.isIncluded(Header, Source)) {
    Dead.push_back(Statement);
    taint(Statement, Name);
    if (ThirdPartyMissing || !SeenHeaders.insert(Header).second)
      return; // the missing header may include it
    Cause &C = add("missing_include", D, At, llvm::formatv("`{0}` needs #include <{1}>", Full, Header), Name);
    C.Fixes.push_back(insertAt(Source.includeInsertionOffset(), "#include <" + Header + ">\n", "include <" + Header + ">"));
    return;
  }
  if (Tainted.contains(Name))
    return;
  if (inside(Dead, At) && !looksLikeCuda(Name))
    return;

  if (std::optional<NameTables::Removed> R = Tables.removed(Name)) {
    Cause &C = add("removed_api", D, At,
        llvm::formatv("`{0}` is gone since CUDA {1}.{2}{3}", Name, R->Since / 1000, R->Since % 1000 / 10,
                      R->Instead.empty() || R->Instead == "nothing" ? "" : "; use " + R->Instead), Name);
    if (TU.CudaVersion && TU.CudaVersion < R->Since)
      C.Sure = Certainty::Doubt;
    Dead.push_back(Statement);
    taint(Statement, Name);
    return;
  }

  NearName Near = nearestDeclared(TU, Source, Name);
  if (ThirdPartyMissing && !(Near.IsClose && looksLikeCuda(Name)))
    return; // the missing header may declare it
  if (!Near.IsClose && looksLikeSharedArray(Name, At)) {
    add("missing_extern_shared", D, At, llvm::formatv("`{0}` is used as an array and declared nowhere: dynamic shared memory needs `extern __shared__ T {0}[]`", Name), Name);
    Dead.push_back(Statement);
    return;
  }
  std::string Message;
  if (Near.IsClose)
    Message = llvm::formatv("`{0}` is not declared; did you mean `{1}`?", Full, Near.Name);
  else if (looksLikeCuda(Name))
    Message = llvm::formatv("CUDA has no `{0}`{1}", Full, Near.Name.empty() ? "" : "; the closest real name is `" + Near.Name + "`");
  else
    Message = llvm::formatv("`{0}` is not declared", Full);
  Cause &C = add("undeclared_api", D, At, std::move(Message), Name);
  if (Near.IsClose && Token && !Dotted)
    C.Fixes.push_back(replaceToken(*Token, Near.Name));
  Dead.push_back(Statement);
  taint(Statement, Name);
}

/// An undeclared array with one of the usual names of dynamic shared memory.
bool CauseFinder::looksLikeSharedArray(llvm::StringRef Name, size_t At) const {
  if (At + 1 >= Source.tokens().size() || token(At + 1).Kind != tok::l_square)
    return false;
  for (llvm::StringRef Usual : {"smem", "shmem", "sdata", "shared", "shm", "sh_"})
    if (Name.contains_insensitive(Usual))
      return true;
  return Name.starts_with("s_");
}

void CauseFinder::noMember(const ParseDiagnostic &D, size_t I) {
  std::string Name = quoted(D.Message, 0), Class = quoted(D.Message, 1);
  if (ThirdPartyMissing || !SeenNames.insert(Class + "::" + Name).second)
    return;
  llvm::StringRef Plain = Class;
  Plain.consume_front("const ");
  Dead.push_back(Source.statement(I));
  if (std::optional<NameTables::Removed> R = Tables.removed((Plain + "::" + Name).str())) {
    Cause &C = add("removed_api", D, I, llvm::formatv("`{0}::{1}` is gone since CUDA {2}.{3}{4}", Plain, Name, R->Since / 1000, R->Since % 1000 / 10,
        R->Instead.empty() || R->Instead == "nothing" ? "" : "; use " + R->Instead), Name);
    if (TU.CudaVersion && TU.CudaVersion < R->Since)
      C.Sure = Certainty::Doubt;
    return;
  }
  bool Cuda = Plain.starts_with("cuda") || Plain.starts_with("__cuda") || Plain.starts_with("cooperative_groups");
  add(Cuda ? "undeclared_api" : "type_mismatch", D, I, llvm::formatv("`{0}` has no member `{1}`", Plain, Name), Name);
}

void CauseFinder::openArray(const ParseDiagnostic &D, size_t I) {
  TokenRange S = Source.statement(I);
  auto Has = [&](llvm::StringRef Word) {
    for (size_t J = S.Begin; J < S.End; ++J)
      if (token(J).Text == Word)
        return true;
    return false;
  };
  if (!Has("__shared__")) {
    types(D, I, Kind::Types);
    return;
  }
  if (inside(Dead, I))
    return;
  Dead.push_back(S);
  std::string Name = token(I).Text.str();
  for (size_t J = S.Begin; J + 1 < S.End; ++J)
    if (token(J).isIdentifier() && token(J + 1).Kind == tok::l_square) {
      Name = token(J).Text.str();
      I = J;
      break;
    }
  if (D.ID == diag::err_typecheck_incomplete_array_needs_initializer) {
    Cause &C = add("missing_extern_shared", D, S.Begin,
                   llvm::formatv("shared array `{0}` has no size: dynamic shared memory is declared with `extern __shared__`", Name), Name);
    C.Fixes.push_back(insertAt(token(S.Begin).Offset, "extern ", "declare it extern"));
    return;
  }
  add("missing_extern_shared", D, S.Begin,
      llvm::formatv("size of shared array `{0}` is no compile-time constant: use `extern __shared__` and pass the bytes at launch", Name), Name);
}

void CauseFinder::sharedInit(const ParseDiagnostic &D, size_t I) {
  // nvcc takes a constructor that does work (cuda::barrier) with a warning, but no initialiser.
  TokenRange S = Source.statement(I);
  for (size_t J = S.Begin; J < std::min(S.End + 1, Source.tokens().size()); ++J)
    if (token(J).Kind == tok::equal || (J == S.End && token(J).Kind == tok::l_brace)) {
      add("type_mismatch", D, I, "a shared variable cannot have an initialiser; one thread must store the value, then a barrier", token(I).Text.str());
      return;
    }
}

void CauseFinder::syntax(const ParseDiagnostic &D, size_t I) {
  if (inside(DeadSyntax, I) || inside(Dead, I))
    return;
  TokenRange S = Source.statement(I);
  if (ThirdPartyMissing) {
    // A macro or type of the missing header explains any syntax error in its statement.
    for (size_t J = S.Begin; J < S.End; ++J)
      if (token(J).isIdentifier() && !isRealName(token(J).Text))
        return;
  }
  // A number that has no place for an edit (end of file) still needs a line.
  add("syntax_error", D, I, D.Message, {});
  DeadSyntax.push_back(Source.topLevel(I));
  Dead.push_back(S);
  if (S.End < Source.tokens().size())
    Dead.push_back(Source.statement(std::min(S.End + 1, Source.tokens().size() - 1)));
  taint(S, {});
}

void CauseFinder::types(const ParseDiagnostic &D, size_t I, Kind K) {
  // What cannot be parsed has no types.
  if (inside(Dead, I) || ThirdPartyMissing || llvm::is_contained(SyntaxIn, Source.statement(I).Begin))
    return;
  for (unsigned Q = 0; Q < 3; ++Q)
    if (Tainted.contains(quoted(D.Message, Q)))
      return;
  TokenRange S = Source.statement(I);
  std::string Name = quoted(D.Message, 0);
  if (K == Kind::WrongSide) {
    std::string Callee = D.ID == diag::err_ref_bad_target ? quoted(D.Message, 0) : Name;
    if (hostNameThatNvccHas(Callee, I) || !SeenNames.insert("side:" + Callee).second)
      return;
    Cause &C = add("undeclared_api", D, I, llvm::formatv("`{0}` cannot be called here: {1}", Callee,
        D.Notes.empty() ? D.Message : D.Notes.front().Message), Callee);
    C.Sure = Certainty::Doubt;
  } else {
    Cause &C = add("type_mismatch", D, I, D.Message, Name);
    if (!D.Notes.empty() && D.Notes.front().Where.Line)
      C.Notes.push_back(D.Notes.front());
  }
  Dead.push_back(S);
}

/// nvcc declares min and max for the host too, and knows managed variables; Clang does neither.
bool CauseFinder::hostNameThatNvccHas(llvm::StringRef Name, size_t At) const {
  if (llvm::is_contained(Tables.list("clang_lacks_on_host"), Name.str()))
    return true;
  for (size_t I = 0; I < At; ++I)
    if (token(I).Text == "__managed__") {
      TokenRange S = Source.statement(I);
      for (size_t J = S.Begin; J < S.End; ++J)
        if (token(J).Text == Name)
          return true;
    }
  return false;
}

/// A lost or surplus brace: everything behind it is noise.
bool CauseFinder::unbalanced(llvm::ArrayRef<const ParseDiagnostic *> Errors) {
  auto IsBraceError = [](const ParseDiagnostic *D) {
    return isLexOrParse(D->ID) || llvm::StringRef(D->Message).contains("function definition is not allowed");
  };
  if (llvm::none_of(Errors, IsBraceError))
    return false;
  std::optional<SourceTokens::Unbalanced> U = Source.unbalancedBrace();
  if (!U)
    return false;
  const ParseDiagnostic *First = nullptr;
  for (const ParseDiagnostic *D : Errors)
    if (!First && IsBraceError(D))
      First = D;
  Cause &C = add("syntax_error", *First, Source.tokens().size(),
                 U->Stray ? std::string("this `}` closes nothing")
                          : llvm::formatv("a `}` is missing: the `{{` of line {0} is never closed", U->OpenLine).str());
  C.Where = {fileName(), U->FaultLine, 1};
  if (!U->Stray)
    C.Notes.push_back({{fileName(), U->OpenLine, 1}, "to match this `{`"});
  size_t From = Source.at(U->Stray ? U->FaultLine : U->OpenLine, 1);
  Dead.push_back({From, Source.tokens().size()});
  DeadSyntax.push_back({From, Source.tokens().size()});
  return true;
}

void CauseFinder::reportMissingHeaders() {
  for (const std::string &H : TU.MissingHeaders)
    if (Tables.nearestHeader(H).empty() && llvm::none_of(Missing, [&](auto &M) { return M.second == H; })) {
      unsigned Line = 1;
      for (const IncludeLine &I : Source.includes())
        if (I.Name == H)
          Line = I.Line;
      Missing.push_back({Line, H});
    }
  if (Missing.empty())
    return;
  ThirdPartyMissing = true;
  std::string Names;
  for (auto &[Line, Name] : Missing)
    Names += (Names.empty() ? "" : ", ") + ("<" + Name + ">");
  Cause C;
  C.Tag = "missing_header";
  C.Where = {fileName(), Missing.front().first, 1};
  C.Name = Missing.front().second;
  C.Message = llvm::formatv("{0} not found: what depends on {1} was not checked", Names, Missing.size() == 1 ? "it" : "them");
  Causes.push_back(std::move(C));
}

std::vector<Cause> CauseFinder::run() {
  std::vector<const ParseDiagnostic *> Errors;
  for (const ParseDiagnostic &D : TU.Diagnostics)
    if (D.IsError && D.InMainFile && D.Where.Line)
      Errors.push_back(&D);
  if (Source.tokens().empty() || (Errors.empty() && TU.MissingHeaders.empty()))
    return {};
  llvm::stable_sort(Errors, [](const ParseDiagnostic *A, const ParseDiagnostic *B) {
    return std::pair(A->Where.Line, A->Where.Column) < std::pair(B->Where.Line, B->Where.Column);
  });
  for (const ParseDiagnostic *D : Errors)
    if (classify(*D) == Kind::MissingFile)
      missingFile(*D, Source.at(D->Where.Line, D->Where.Column));
  reportMissingHeaders();
  for (const ParseDiagnostic *D : Errors)
    if (classify(*D) == Kind::Syntax)
      SyntaxIn.push_back(Source.statement(Source.at(D->Where.Line, D->Where.Column)).Begin);
  unbalanced(Errors);
  for (const ParseDiagnostic *D : Errors) {
    size_t I = Source.at(D->Where.Line, D->Where.Column);
    Kind K = classify(*D);
    if (K == Kind::MissingFile)
      continue;
    if ((K == Kind::Undeclared || K == Kind::Syntax || K == Kind::Types) && misspeltAttribute(*D, I, K))
      continue;
    switch (K) {
    case Kind::Undeclared: undeclared(*D, I); break;
    case Kind::NoMember: noMember(*D, I); break;
    case Kind::OpenArray: openArray(*D, I); break;
    case Kind::SharedExtern: taint(Source.statement(I), {}); break;
    case Kind::SharedInit: sharedInit(*D, I); break;
    case Kind::Syntax: syntax(*D, I); break;
    default: types(*D, I, K); break;
    }
  }
  llvm::stable_sort(Causes, [](const Cause &A, const Cause &B) { return A.Where.Line < B.Where.Line; });
  return std::move(Causes);
}

} // namespace

std::vector<Cause> compile::findCauses(TranslationUnit &TU, const Policy &P, const SourceTokens &Source) {
  return CauseFinder(TU, P, Source).run();
}

std::vector<Cause> compile::findNvccDoubts(TranslationUnit &TU, const Policy &P, const SourceTokens &Source) {
  NameTables Tables(P);
  std::vector<std::string> Bare = Tables.list("bare_headers"), Declares = Tables.list("clang_declares");
  // Any other header may bring the names along.
  for (const IncludeLine &I : Source.includes())
    if (!llvm::is_contained(Bare, I.Name))
      return {};
  std::vector<Cause> Out;
  llvm::StringSet<> Seen;
  for (const SourceToken &T : Source.tokens()) {
    if (!T.isIdentifier() || T.InDirective || !llvm::is_contained(Declares, T.Text.str()))
      continue;
    std::string Header = Tables.headerOf(T.Text, "");
    if (Header.empty() || Tables.isIncluded(Header, Source) || !Seen.insert(Header).second)
      continue;
    Cause C;
    C.Tag = "nvcc_decides";
    C.Sure = Certainty::Doubt;
    C.Where = TU.where(TU.sources().getLocForStartOfFile(TU.sources().getMainFileID()));
    C.Where.Line = T.Line;
    C.Where.Column = T.Column;
    C.Name = T.Text.str();
    C.Message = llvm::formatv("`{0}` is known to Clang without an include; nvcc needs <{1}>", T.Text, Header);
    Fix F;
    F.Description = "include <" + Header + ">";
    F.Edits.push_back({C.Where.File, Source.includeInsertionOffset(), 0, "#include <" + Header + ">\n"});
    C.Fixes.push_back(std::move(F));
    Out.push_back(std::move(C));
  }
  return Out;
}
