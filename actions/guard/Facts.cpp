// The facts of one text: see Guard.h.
#include "actions/engine/ActionContext.h"
#include "actions/engine/Tokens.h"
#include "actions/guard/Bounds.h"
#include "actions/guard/ContentHash.h"
#include "actions/guard/Guard.h"
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
  FunctionVisitor(ActionContext &Ctx, GuardFacts &Out) : Ctx(Ctx), Out(Out) {}
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
    number(F, T);
    X.Tokens = words(T);
    X.WithoutLaunches = withoutLaunches(X.Tokens);
    markInnerLoops(F, T, R.first, X);
    if (X.K == FunctionFacts::Kernel) {
      for (const ParmVarDecl *P : F->parameters())
        X.Parameters.push_back(P->getNameAsString());
      X.Guards = boundsOf(Ctx, F);
    }
    if (X.K != FunctionFacts::Host)
      barriers(F->getBody(), false, X.Barriers);
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

  static std::vector<std::string> withoutLaunches(const std::vector<std::string> &T) {
    std::vector<std::string> Out;
    bool Inside = false;
    for (const std::string &W : T) {
      Inside &= W != ">>>";
      if (!Inside)
        Out.push_back(W);
      Inside |= W == "<<<";
    }
    return Out;
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

  void barriers(const Stmt *S, bool InBranch, std::vector<BarrierFact> &To) const {
    if (!S)
      return;
    if (const auto *C = dyn_cast<CallExpr>(S)) {
      const char *Kind = nullptr;
      switch (callKind(C)) {
      case CallKind::BlockBarrier:
      case CallKind::BlockBarrierVote: Kind = "barrier"; break;
      case CallKind::WarpBarrier:
      case CallKind::TileBarrier: Kind = "warp barrier"; break;
      case CallKind::GridBarrier: Kind = "grid barrier"; break;
      case CallKind::Fence: Kind = "fence"; break;
      case CallKind::AsyncWait: Kind = "wait for a copy"; break;
      default: break;
      }
      if (Kind)
        To.push_back({Kind, InBranch, Ctx.TU.where(C->getBeginLoc()).Line});
    }
    for (const Stmt *Child : S->children()) {
      bool Under = isa<IfStmt>(S) || isa<SwitchStmt>(S) || isa<ConditionalOperator>(S);
      if (const auto *I = dyn_cast<IfStmt>(S))
        Under = Child != I->getCond() && !Ctx.constant(I->getCond());
      barriers(Child, InBranch || Under, To);
    }
  }

  ActionContext &Ctx;
  GuardFacts &Out;
};

/// Regions between the markers; a marker is a comment of its own.
void protectedRegions(StringRef Text, const LangOptions &LO, GuardFacts &Out) {
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
          else
            Out.Protected.push_back({Start, words(wordsOf(Text.slice(*Begin, At), LO))});
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
  protectedRegions(Ctx.Text, Ctx.LO, Out);
  FunctionVisitor V(Ctx, Out);
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

GuardFacts kcheck::guardFacts(TranslationUnit &TU) {
  GuardFacts Out = textFacts(TU);
  if (!Out.Errors.empty())
    return Out;
  PlanBudget Few(2); // both texts at the same sizes
  LaunchModel &M = TU.get<LaunchModel>();
  Out.Does.emplace(M);
  for (const LaunchSample *L : M.runs())
    for (const eval::BlockRun &B : L->Run->Blocks)
      if (llvm::any_of(TU.get<RaceModel>().inBlock(*L->Run, B), [](const Race &R) { return R.Sure; }))
        for (FunctionFacts &F : Out.Functions)
          F.Races |= F.K == FunctionFacts::Kernel && F.Name == L->Run->Kernel->getQualifiedNameAsString();
  return Out;
}
