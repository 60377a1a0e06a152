// The facts of one text: see Guard.h.
#include "actions/engine/ActionContext.h"
#include "actions/engine/Tokens.h"
#include "actions/engine/Launches.h"
#include "actions/guard/Barriers.h"
#include "actions/guard/Bounds.h"
#include "actions/guard/ContentHash.h"
#include "actions/guard/Guard.h"
#include "actions/guard/Macros.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "matchers/PlanBudget.h"
#include "matchers/Races.h"
#include "llvm/Support/MD5.h"

using namespace clang;
using namespace kcheck;

namespace {

std::vector<std::string> words(const std::vector<Word> &Tokens) {
  std::vector<std::string> Out;
  for (const Word &T : Tokens)
    Out.push_back(T.Text);
  return Out;
}

class FunctionVisitor : public DynamicRecursiveASTVisitor {
public:
  FunctionVisitor(ActionContext &Ctx, const MacroTexts &Macros, GuardFacts &Out) : Ctx(Ctx), Macros(Macros), Out(Out) {}
  std::vector<std::pair<unsigned, unsigned>> Ranges; ///< bytes of functions

  bool VisitFunctionDecl(FunctionDecl *F) override {
    if (!F->doesThisDeclarationHaveABody() || F->isImplicit() || !Ctx.SM.isWrittenInMainFile(Ctx.SM.getExpansionLoc(F->getLocation())))
      return true;
    if (const auto *M = dyn_cast<CXXMethodDecl>(F); M && M->getParent()->isLambda())
      return true; // part of the function around it
    add(F);
    return true;
  }

private:
  void add(FunctionDecl *F) {
    FunctionFacts X;
    X.K = isKernel(F) ? FunctionFacts::Kernel : isDeviceFunction(F) && !F->hasAttr<CUDAHostAttr>() ? FunctionFacts::Device : FunctionFacts::Host;
    X.Name = F->getQualifiedNameAsString();
    X.Signature = signature(F);
    X.Line = Ctx.TU.where(F->getLocation()).Line;
    std::pair<unsigned, unsigned> R{Ctx.offset(F->getBeginLoc()), Ctx.endOffset(F->getEndLoc())};
    Ranges.push_back(R);
    std::vector<Word> T = wordsOf(Ctx.Text.substr(R.first, R.second - R.first), Ctx.LO);
    X.Plain = words(T);
    std::vector<Word> Rest = X.K == FunctionFacts::Host ? withoutLaunches(F, T, R.first, X.Launches) : T;
    X.Macros = Macros.namedBy(Rest);
    number(F, T);
    X.Tokens = words(T);
    number(F, Rest);
    X.WithoutLaunches = words(Rest);
    markInnerLoops(F, T, R.first, X);
    if (X.K == FunctionFacts::Kernel) {
      for (const ParmVarDecl *P : F->parameters())
        X.Parameters.push_back(P->getNameAsString());
      X.Guards = boundsOf(Ctx, F);
    }
    if (X.K != FunctionFacts::Host)
      X.Barriers = barriersOf(Ctx, F);
    Out.Functions.push_back(std::move(X));
  }

  /// Types in order, with the names of types spelt out; qualifiers of a parameter itself are the callee's business.
  std::string signature(const FunctionDecl *F) const {
    std::string S = F->getReturnType().getCanonicalType().getUnqualifiedType().getAsString() + " (";
    for (unsigned I = 0; I < F->getNumParams(); ++I)
      S += (I ? ", " : "") + F->getParamDecl(I)->getType().getCanonicalType().getUnqualifiedType().getAsString();
    S += ")";
    if (isKernel(F))
      S += " __global__";
    if (F->getLanguageLinkage() == CLanguageLinkage)
      S += " extern \"C\"";
    if (F->getStorageClass() == SC_Static)
      S += " static";
    return S;
  }

  /// Local names become numbers in the order in which they appear.
  void number(const FunctionDecl *F, std::vector<Word> &T) const {
    struct Names : DynamicRecursiveASTVisitor {
      llvm::StringMap<unsigned> Seen;
      bool VisitVarDecl(VarDecl *V) override {
        if (V->getIdentifier())
          Seen.try_emplace(V->getName(), 0);
        return true;
      }
    } N;
    N.TraverseDecl(const_cast<FunctionDecl *>(F));
    unsigned Next = 0;
    for (size_t I = 0; I < T.size(); ++I) {
      bool Member = I > 0 && (T[I - 1].Text == "." || T[I - 1].Text == "->" || T[I - 1].Text == "::");
      if (!T[I].Identifier || Member)
        continue;
      auto It = N.Seen.find(T[I].Text);
      if (It == N.Seen.end())
        continue;
      if (!It->second)
        It->second = ++Next;
      T[I].Text = "$" + std::to_string(It->second);
    }
  }

  /// The words of a host function without the sizes of its launches and without variables that only those need; the sizes in canonical form.
  std::vector<Word> withoutLaunches(const FunctionDecl *F, const std::vector<Word> &T, unsigned Base, std::vector<std::string> &Sizes) const {
    std::vector<std::pair<unsigned, unsigned>> Gone;
    llvm::DenseSet<const Expr *> Operands;
    forEachStmt(F->getBody(), [&](const Stmt *S) {
      const auto *C = dyn_cast<CUDAKernelCallExpr>(S);
      if (!C)
        return;
      LaunchSyntax L = launchSyntax(C);
      std::string Text;
      for (const Expr *E : {L.Grid, L.Block}) {
        auto Axes = E ? extentExprs(Ctx, E) : std::array<const Expr *, 3>{};
        for (const Expr *A : Axes)
          Text += (A ? canonicalText(Ctx, F, A) : Axes[0] ? "1" : Ctx.text(E->getSourceRange())) + "; ";
      }
      for (const Expr *E : {L.Shared, L.Stream})
        Text += (E && !isa<CXXDefaultArgExpr>(E) ? canonicalText(Ctx, F, E) : "0") + "; ";
      Sizes.push_back(std::move(Text));
      for (const Expr *E : {L.Grid, L.Block, L.Shared, L.Stream})
        if (E && !isa<CXXDefaultArgExpr>(E)) {
          Operands.insert(E);
          Gone.push_back(Ctx.bytes(E));
        }
    });
    for (const DeclStmt *D : onlyForLaunches(F, Operands))
      Gone.push_back(Ctx.bytes(D));
    std::vector<Word> Out;
    bool Sized = false;
    for (const Word &W : T) {
      Sized &= W.Text != ">>>";
      if (!Sized && llvm::none_of(Gone, [&](auto &B) { return Base + W.Offset >= B.first && Base + W.Offset < B.second; }))
        Out.push_back(W);
      Sized |= W.Text == "<<<";
    }
    return Out;
  }

  /// Declarations of integers and dim3s that nothing but launch sizes, or other such declarations, reads, and nothing writes.
  std::vector<const DeclStmt *> onlyForLaunches(const FunctionDecl *F, const llvm::DenseSet<const Expr *> &Operands) const {
    std::map<const VarDecl *, const DeclStmt *> Maybe;
    forEachStmt(F->getBody(), [&](const Stmt *S) {
      const auto *D = dyn_cast<DeclStmt>(S);
      const auto *V = D && D->isSingleDecl() ? dyn_cast<VarDecl>(D->getSingleDecl()) : nullptr;
      const auto *Record = V ? V->getType()->getAsCXXRecordDecl() : nullptr;
      bool Dim = Record && Record->getIdentifier() && Record->getName() == "dim3";
      if (V && V->getInit() && V->hasLocalStorage() && (Dim || V->getType()->isIntegerType()) && Ctx.isPure(V->getInit()))
        Maybe[V] = D;
    });
    for (bool Again = true; Again;) {
      Again = false;
      llvm::DenseSet<const VarDecl *> Elsewhere;
      readElsewhere(F->getBody(), Operands, Maybe, Elsewhere);
      for (const VarDecl *V : Elsewhere)
        Again |= Maybe.erase(V) != 0;
    }
    std::vector<const DeclStmt *> Out;
    for (auto &[V, D] : Maybe)
      Out.push_back(D);
    return Out;
  }

  static void readElsewhere(const Stmt *S, const llvm::DenseSet<const Expr *> &Operands, const std::map<const VarDecl *, const DeclStmt *> &Maybe,
                            llvm::DenseSet<const VarDecl *> &Out) {
    if (!S)
      return;
    if (const auto *E = dyn_cast<Expr>(S); E && Operands.contains(E))
      return;
    if (const auto *D = dyn_cast<DeclStmt>(S))
      if (const auto *V = D->isSingleDecl() ? dyn_cast<VarDecl>(D->getSingleDecl()) : nullptr; V && Maybe.count(V))
        return;
    if (const auto *R = dyn_cast<DeclRefExpr>(S))
      if (const auto *V = dyn_cast<VarDecl>(R->getDecl()))
        Out.insert(V);
    for (const Stmt *Child : S->children())
      readElsewhere(Child, Operands, Maybe, Out);
  }

  void markInnerLoops(const FunctionDecl *F, const std::vector<Word> &T, unsigned Base, FunctionFacts &X) const {
    std::vector<std::pair<unsigned, unsigned>> Bodies;
    auto IsLoop = [](const Stmt *S) { return isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(S); };
    forEachStmt(F->getBody(), [&](const Stmt *S) {
      if (!IsLoop(S))
        return;
      const Stmt *Body = isa<ForStmt>(S) ? cast<ForStmt>(S)->getBody() : isa<WhileStmt>(S) ? cast<WhileStmt>(S)->getBody() : isa<DoStmt>(S) ? cast<DoStmt>(S)->getBody() : cast<CXXForRangeStmt>(S)->getBody();
      bool Inner = true;
      forEachStmt(Body, [&](const Stmt *C) { Inner &= !IsLoop(C); });
      if (Inner)
        Bodies.push_back(Ctx.bytes(Body));
    });
    for (const Word &Tok : T)
      X.InInnerLoop.push_back(llvm::any_of(Bodies, [&](auto &B) { return Base + Tok.Offset >= B.first && Base + Tok.Offset < B.second; }));
  }

  ActionContext &Ctx;
  const MacroTexts &Macros;
  GuardFacts &Out;
};

/// Regions between the markers; a marker is a comment of its own.
void protectedRegions(StringRef Text, const LangOptions &LO, const MacroTexts &Macros, GuardFacts &Out) {
  size_t At = 0;
  unsigned Line = 1, Start = 0;
  std::optional<size_t> Begin;
  while (At < Text.size()) {
    size_t End = std::min(Text.find('\n', At), Text.size());
    StringRef L = Text.slice(At, End).trim();
    if (L.consume_front("//") || L.consume_front("/*")) {
      L = L.trim();
      if (L.consume_front("kcheck:")) {
        L = L.trim();
        if (L.starts_with("protect begin")) {
          if (Begin)
            Out.MarkerFault = "line " + std::to_string(Line) + ": a protected region begins inside another";
          Begin = End;
          Start = Line;
        } else if (L.starts_with("protect end")) {
          if (!Begin)
            Out.MarkerFault = "line " + std::to_string(Line) + ": a protected region ends that never began";
          else {
            std::vector<Word> Inside = wordsOf(Text.slice(*Begin, At), LO);
            Out.ProtectedMacros.push_back(Macros.namedBy(Inside));
            Out.Protected.push_back({Start, words(Inside)});
          }
          Begin.reset();
        }
      }
    }
    At = End + 1;
    ++Line;
  }
  if (Begin)
    Out.MarkerFault = "line " + std::to_string(Start) + ": the protected region has no end";
}

} // namespace

/// What the text alone shows.
static GuardFacts textFacts(TranslationUnit &TU) {
  GuardFacts Out;
  for (const ParseDiagnostic &D : TU.Diagnostics)
    if (D.IsError && D.InMainFile)
      Out.Errors.push_back("line " + std::to_string(D.Where.Line) + ": " + D.Message);
  ActionContext Ctx(TU, "");
  MacroTexts Macros(Ctx.Text, Ctx.LO);
  protectedRegions(Ctx.Text, Ctx.LO, Macros, Out);
  FunctionVisitor V(Ctx, Macros, Out);
  V.TraverseAST(TU.AST);
  for (const auto &T : wordsOf(Ctx.Text, Ctx.LO))
    if (llvm::none_of(V.Ranges, [&](auto &R) { return T.Offset >= R.first && T.Offset < R.second; }))
      Out.FileScope.push_back(T.Text);
  return Out;
}

std::string kcheck::contentHash(TranslationUnit &TU) {
  GuardFacts F = textFacts(TU);
  llvm::MD5 Hash;
  auto put = [&](llvm::StringRef Word) {
    Hash.update(Word);
    Hash.update(llvm::StringRef("\n", 1));
  };
  for (const FunctionFacts &X : F.Functions)
    for (const std::string &Token : X.Tokens)
      put(Token);
  put("");
  for (const std::string &Token : F.FileScope)
    put(Token);
  llvm::MD5::MD5Result R = Hash.final();
  return std::string(R.digest());
}

GuardFacts kcheck::guardFacts(TranslationUnit &TU, bool Patient) {
  GuardFacts Out = textFacts(TU);
  Out.Patient = Patient;
  if (!Out.Errors.empty())
    return Out;
  PlanBudget Few(2, Patient ? 4 : 1.0 / 3); // both texts at the same sizes
  LaunchModel &M = TU.get<LaunchModel>();
  Out.Does.emplace(M);
  for (const LaunchSample *L : M.runs())
    for (const eval::BlockRun &B : L->Run->Blocks)
      if (llvm::any_of(TU.get<RaceModel>().inBlock(*L->Run, B), [](const Race &R) { return R.Sure; }))
        for (FunctionFacts &F : Out.Functions)
          F.Races |= F.K == FunctionFacts::Kernel && F.Name == L->Run->Kernel->getQualifiedNameAsString();
  return Out;
}
