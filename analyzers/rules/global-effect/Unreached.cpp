#include "Unreached.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "matchers/VariableWrites.h"
#include "matchers/Vocabulary.h"

using namespace clang;
using namespace kcheck;
using namespace kcheck::effects;

bool FlowPaths::miss(const Site &S, ASTContext &AST) {
  if (S.In->isDependentContext())
    return false;
  auto &Graph = Graphs[S.In];
  if (!Graph) {
    CFG::BuildOptions Options;
    Options.setAllAlwaysAdd();
    Options.PruneTriviallyFalseEdges = true;
    Graph = CFG::buildCFG(S.In, S.In->getBody(), &AST, Options);
  }
  if (!Graph)
    return false;
  llvm::DenseSet<const CFGBlock *> Met;
  std::vector<const CFGBlock *> Work{&Graph->getEntry()};
  while (!Work.empty()) {
    const CFGBlock *B = Work.back();
    Work.pop_back();
    if (!Met.insert(B).second)
      continue;
    for (const CFGBlock::AdjacentBlock &N : B->succs())
      if (const CFGBlock *X = N.getReachableBlock())
        Work.push_back(X);
  }
  bool Found = false;
  for (const CFGBlock *B : *Graph)
    for (const CFGElement &El : *B)
      if (auto St = El.getAs<CFGStmt>(); St && St->getStmt() == S.At) {
        Found = true;
        if (Met.count(B))
          return false;
      }
  return Found;
}

namespace {

/// What of a kernel's body is worth a closer look.
class Suspects : public ConstDynamicRecursiveASTVisitor {
public:
  Suspects(const FunctionDecl *K, const VariableWrites &Writes) : Writes(Writes), AST(K->getASTContext()) { TraverseStmt(K->getBody()); }

  bool Endless = false;                                      ///< a loop without a condition
  std::vector<const IfStmt *> Never;                         ///< with a condition that never holds
  std::vector<const ForStmt *> Skipped;                      ///< with a condition that does not hold to begin with
  std::map<const ParmVarDecl *, unsigned> Named;             ///< how often
  std::map<const ParmVarDecl *, std::vector<const BinaryOperator *>> Assigned;

  bool VisitForStmt(const ForStmt *F) override {
    Endless |= !F->getCond();
    if (F->getCond() && F->getInit() && skips(*F))
      Skipped.push_back(F);
    return true;
  }
  bool VisitWhileStmt(const WhileStmt *W) override {
    const auto *One = dyn_cast<CXXBoolLiteralExpr>(W->getCond()->IgnoreParenImpCasts());
    const auto *Number = dyn_cast<IntegerLiteral>(W->getCond()->IgnoreParenImpCasts());
    Endless |= (One && One->getValue()) || (Number && Number->getValue() != 0);
    return true;
  }
  bool VisitIfStmt(const IfStmt *S) override {
    if (!S->getElse() && S->getCond() && neverHolds(S->getCond()))
      Never.push_back(S);
    return true;
  }
  bool VisitDeclRefExpr(const DeclRefExpr *D) override {
    if (const auto *P = dyn_cast<ParmVarDecl>(D->getDecl()))
      ++Named[P];
    return true;
  }
  bool VisitBinaryOperator(const BinaryOperator *B) override {
    const auto *D = B->getOpcode() == BO_Assign ? dyn_cast<DeclRefExpr>(B->getLHS()->IgnoreParens()) : nullptr;
    if (const auto *P = D ? dyn_cast<ParmVarDecl>(D->getDecl()) : nullptr)
      Assigned[P].push_back(B);
    return true;
  }

private:
  /// `for (int k = 0; k < kWidth / 8; ++k)` with a width of 4
  bool skips(const ForStmt &F) const {
    const auto *Decls = dyn_cast<DeclStmt>(F.getInit());
    const auto *V = Decls && Decls->isSingleDecl() ? dyn_cast<VarDecl>(Decls->getSingleDecl()) : nullptr;
    const auto *B = dyn_cast<BinaryOperator>(F.getCond()->IgnoreParenImpCasts());
    if (!V || !V->getInit() || !B || !B->isRelationalOp() || namedVariable(B->getLHS()) != V || V->getInit()->isValueDependent() || B->getRHS()->isValueDependent())
      return false;
    Expr::EvalResult From, To;
    if (!V->getInit()->EvaluateAsInt(From, AST) || !B->getRHS()->EvaluateAsInt(To, AST))
      return false;
    const llvm::APSInt &A = From.Val.getInt(), &Z = To.Val.getInt();
    const int Order = llvm::APSInt::compareValues(A, Z);
    switch (B->getOpcode()) {
    case BO_LT: return Order >= 0;
    case BO_LE: return Order > 0;
    case BO_GT: return Order <= 0;
    default: return Order < 0;
    }
  }
  /// `x % n >= n`, through variables.
  bool neverHolds(const Expr *Cond) const {
    const auto *B = dyn_cast<BinaryOperator>(Cond->IgnoreParenImpCasts());
    if (!B || (B->getOpcode() != BO_GE && B->getOpcode() != BO_LE))
      return false;
    const Expr *Large = B->getLHS(), *Bound = B->getRHS();
    if (B->getOpcode() == BO_LE)
      std::swap(Large, Bound);
    const auto *Rest = dyn_cast<BinaryOperator>(Writes.resolve(Large)->IgnoreParenImpCasts());
    return Rest && Rest->getOpcode() == BO_Rem && Rest->getType()->isUnsignedIntegerType() && sameBehindCasts(Rest->getRHS(), Bound, AST);
  }
  const VariableWrites &Writes;
  const ASTContext &AST;
};

bool contains(const SourceManager &SM, SourceRange Outer, SourceLocation L) {
  return !SM.isBeforeInTranslationUnit(L, Outer.getBegin()) && !SM.isBeforeInTranslationUnit(Outer.getEnd(), L);
}

} // namespace

void kcheck::effects::checkUnreached(RuleContext &Ctx, const FunctionDecl *K, FlowPaths &Paths) {
  ASTContext &AST = Ctx.TU.AST;
  const SourceManager &SM = AST.getSourceManager();
  if (!K->hasBody())
    return;
  Suspects Found(K, Ctx.get<VariableWrites>());
  // A by-value parameter that gets a result, and that nothing reads.
  for (auto &[P, Stores] : Found.Assigned)
    if (P->getDeclContext() == K && P->getType()->isArithmeticType() && Found.Named[P] == Stores.size() &&
        !Stores.back()->getRHS()->IgnoreParenImpCasts()->isEvaluatable(AST)) {
      Ctx.report("result_kept_local", Stores.back()->getBeginLoc(),
                 "the result goes to '" + P->getName().str() + "', a copy of the launch's argument that nothing reads: the caller never sees it")
          .kernel(K)
          .note(P->getLocation(), "passed by value");
      break;
    }
  if (!Found.Endless && Found.Never.empty() && Found.Skipped.empty())
    return;
  bool Elsewhere = false; // something is done outside such a loop
  const ForStmt *Loop = nullptr;
  for (const Site &S : effectsOf(K, AST).Sites) {
    if (S.To != Target::Open)
      continue;
    if (S.In->getCanonicalDecl() != K->getCanonicalDecl()) {
      Elsewhere = true;
      continue;
    }
    auto Never = llvm::find_if(Found.Never, [&](const IfStmt *I) { return contains(SM, I->getThen()->getSourceRange(), S.At->getBeginLoc()); });
    if (Never != Found.Never.end()) {
      Ctx.report("store_unreachable", (*Never)->getBeginLoc(), "the store never runs: a remainder of a division is less than its divisor, whatever is divided")
          .kernel(K)
          .note(S.At->getBeginLoc(), "the store is here");
      return;
    }
    auto Skipped = llvm::find_if(Found.Skipped, [&](const ForStmt *F) { return contains(SM, F->getBody()->getSourceRange(), S.At->getBeginLoc()); });
    if (Skipped != Found.Skipped.end())
      Loop = *Skipped;
    else
      Elsewhere = true;
    if (Found.Endless && Paths.miss(S, AST)) {
      Ctx.report("store_unreachable", S.At->getBeginLoc(), "the store never runs: every path leaves the kernel before it").kernel(K);
      return;
    }
  }
  if (Loop && !Elsewhere)
    Ctx.report("store_unreachable", Loop->getBeginLoc(), "the store never runs: the loop around it ends before its first round").kernel(K);
}
