#include "analyzers/rules/compile/Names.h"
#include "analyzers/rules/compile/Spelling.h"
#include "clang/AST/Decl.h"
#include "llvm/ADT/StringSet.h"

using namespace clang;
using namespace kcheck;
using namespace kcheck::compile;

NameTables::NameTables(const Policy &P) : P(P) {
  const llvm::json::Value *Headers = P.table({"compile", "headers"});
  if (!Headers || !Headers->getAsObject())
    return;
  for (const auto &[Header, Names] : *Headers->getAsObject())
    if (const llvm::json::Array *A = Names.getAsArray())
      for (const llvm::json::Value &N : *A)
        if (auto S = N.getAsString())
          HeaderByName.try_emplace(*S, Header.str());
}

std::vector<std::string> NameTables::list(llvm::StringRef Key) const {
  std::vector<std::string> Out;
  if (const llvm::json::Value *V = P.table({"compile", Key}))
    if (const llvm::json::Array *A = V->getAsArray())
      for (const llvm::json::Value &E : *A)
        if (auto S = E.getAsString())
          Out.push_back(S->str());
  return Out;
}

std::optional<std::string> NameTables::misspeltAttribute(llvm::StringRef Word, bool BareWords) const {
  bool Underscored = Word.starts_with("_") || Word.ends_with("_");
  if (!Underscored && !BareWords)
    return std::nullopt;
  std::string Plain = plainName(Word);
  if (Plain.size() < 3)
    return std::nullopt;
  std::vector<std::string> Known = list("attributes");
  std::string Best;
  unsigned BestDistance = 100;
  for (const std::string &A : Known) {
    if (A == Word)
      return std::nullopt;
    std::string PlainA = plainName(A);
    unsigned Allowed = !Underscored ? 0 : PlainA.size() >= 10 ? 2 : PlainA.size() >= 5 ? 1 : 0;
    unsigned D = nameDistance(Word, A, 3);
    if (D <= Allowed && D < BestDistance)
      Best = A, BestDistance = D;
  }
  if (!Best.empty())
    return Best;
  if (const llvm::json::Value *V = P.table({"compile", "attribute_aliases"}))
    if (const llvm::json::Object *O = V->getAsObject())
      if (auto S = O->getString(Plain))
        return S->str();
  return std::nullopt;
}

std::string NameTables::headerOf(llvm::StringRef Name, llvm::StringRef Scope) const {
  if (!Scope.empty()) {
    auto It = HeaderByName.find((Scope + "::" + Name).str());
    if (It != HeaderByName.end())
      return It->second;
    return {};
  }
  auto It = HeaderByName.find(Name);
  return It == HeaderByName.end() ? std::string() : It->second;
}

bool NameTables::isIncluded(llvm::StringRef Header, const SourceTokens &Source) const {
  if (Source.includesHeader(Header))
    return true;
  if (const llvm::json::Value *V = P.table({"compile", "header_aliases", Header}))
    if (const llvm::json::Array *A = V->getAsArray())
      for (const llvm::json::Value &E : *A)
        if (auto S = E.getAsString(); S && Source.includesHeader(*S))
          return true;
  return false;
}

std::optional<NameTables::Removed> NameTables::removed(llvm::StringRef Name) const {
  const llvm::json::Value *V = P.table({"compile", "removed", Name});
  const llvm::json::Object *O = V ? V->getAsObject() : nullptr;
  if (!O)
    return std::nullopt;
  return Removed{O->getInteger("since").value_or(0), O->getString("instead").value_or("").str()};
}

bool NameTables::lackedByClang(llvm::StringRef Name) const {
  return llvm::is_contained(list("clang_lacks"), Name.str());
}

std::string NameTables::nearestHeader(llvm::StringRef Name) const {
  const llvm::json::Value *Headers = P.table({"compile", "headers"});
  if (!Headers || !Headers->getAsObject())
    return {};
  std::string Best;
  unsigned BestDistance = 4;
  auto Try = [&](llvm::StringRef Known) {
    unsigned D = nameDistance(Name, Known, 3);
    if (Known != Name && D < BestDistance && D <= allowedDistance(Known))
      Best = Known.str(), BestDistance = D;
  };
  for (const auto &[Header, Names] : *Headers->getAsObject())
    Try(Header);
  for (const std::string &H : list("bare_headers"))
    Try(H);
  return Best;
}

/// Something that a kernel's author could name: a function, type, enumerator, variable, namespace or macro.
static bool isDeclared(TranslationUnit &TU, IdentifierInfo &II) {
  if (II.hasMacroDefinition() || TU.PP.getMacroInfo(&II))
    return true;
  for (NamedDecl *D : TU.AST.getTranslationUnitDecl()->lookup(DeclarationName(&II)))
    if (isa<ValueDecl, TypeDecl, NamespaceDecl, TemplateDecl>(D))
      return true;
  return false;
}

NearName compile::nearestDeclared(TranslationUnit &TU, const SourceTokens &Source, llvm::StringRef Name) {
  unsigned Allowed = allowedDistance(Name);
  // Names of the main file win: a misspelt local variable is likelier than a misspelt API.
  llvm::StringMap<unsigned> Local;
  for (const SourceToken &T : Source.tokens())
    if (T.isIdentifier() && !T.InDirective)
      ++Local[T.Text];
  struct Candidate {
    std::string Name;
    unsigned Distance;
    double Likeness;
  };
  std::vector<Candidate> Near;
  llvm::StringSet<> Seen;
  auto Consider = [&](llvm::StringRef Other) {
    if (Other == Name || Other.size() < 2 || !Seen.insert(Other).second)
      return;
    if (Other.size() > 2 * Name.size() + 4 || Name.size() > 2 * Other.size() + 4)
      return;
    unsigned D = nameDistance(Name, Other, Allowed);
    if (D <= Allowed) {
      Near.push_back({Other.str(), D, 1});
      return;
    }
    if (Name.size() < 8 || Other.size() < 8)
      return;
    double L = nameLikeness(Name, Other);
    if (L >= 0.7)
      Near.push_back({Other.str(), 100, L});
  };
  for (const auto &E : Local)
    Consider(E.getKey());
  // A short name of the main file has too many neighbours in the headers.
  if (Name.size() >= 4 || Name.starts_with("__")) {
    IdentifierTable &Ids = TU.AST.Idents;
    for (const auto &E : Ids)
      Consider(E.getKey());
    if (IdentifierInfoLookup *External = Ids.getExternalIdentifierLookup()) {
      std::unique_ptr<IdentifierIterator> It(External->getIdentifiers());
      for (llvm::StringRef Id = It->Next(); !Id.empty(); Id = It->Next())
        Consider(Id);
    }
  }
  auto Rank = [&](const Candidate &C) {
    bool Cuda = llvm::StringRef(C.Name).starts_with("__") == Name.starts_with("__");
    bool Reserved = llvm::StringRef(C.Name).starts_with("_") && !Name.starts_with("_");
    return std::tuple(C.Distance, Reserved, Local.count(C.Name) && C.Distance < 100 ? 0 : 1, Cuda ? 0 : 1,
                      -C.Likeness, C.Name);
  };
  llvm::sort(Near, [&](const Candidate &A, const Candidate &B) { return Rank(A) < Rank(B); });
  for (const Candidate &C : Near) {
    IdentifierInfo &II = TU.AST.Idents.get(C.Name);
    // A name that occurs in the main file may be a local; the tokens do not tell, a second use does.
    bool LocalDeclared = Local.lookup(C.Name) >= 2;
    if (LocalDeclared || isDeclared(TU, II))
      return {C.Name, C.Distance < 100};
  }
  return {};
}
