//===- Branches.cpp - branches that split every warp ----------------------------------===//
//
//   if (threadIdx.x % 2 == 0) a = sinf(x); else a = cosf(x);      both sides run, one after the other
//   if (tid % (2 * s) == 0) sh[tid] += sh[tid + s];               few lanes of many warps
//
// A branch on the warp's number or on lane 0 is not one of these: the test must tell neighbours apart.
//
//===--------------------------------------------------------------------------===//
#include "Perf.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "matchers/Vocabulary.h"

using namespace clang;
using namespace kcheck;

namespace {

/// True when E counts threads one by one: threadIdx.x, or a constant made from it and other terms.
bool countsThreads(const Expr *E, unsigned Depth = 0) {
  E = E->IgnoreParenCasts();
  if (auto B = builtinUse(E))
    return B->Which == IndexVar::ThreadIdx && B->Axis == 0;
  if (Depth > 4)
    return false;
  if (const auto *D = dyn_cast<DeclRefExpr>(E)) {
    const auto *V = dyn_cast<VarDecl>(D->getDecl());
    return V && V->isLocalVarDecl() && V->getInit() && V->getType()->isIntegerType() && countsThreads(V->getInit(), Depth + 1);
  }
  if (const auto *B = dyn_cast<BinaryOperator>(E); B && B->isAdditiveOp())
    return countsThreads(B->getLHS(), Depth + 1) || countsThreads(B->getRHS(), Depth + 1);
  if (const auto *B = dyn_cast<BinaryOperator>(E); B && B->getOpcode() == BO_Rem) // the lane
    return countsThreads(B->getLHS(), Depth + 1);
  return false;
}

std::optional<int64_t> constantOf(const Expr *E, ASTContext &Ctx) {
  Expr::EvalResult R;
  if (E->isValueDependent() || E->isTypeDependent() || !E->getType()->isIntegerType() || !E->EvaluateAsInt(R, Ctx))
    return std::nullopt;
  return R.Val.getInt().getExtValue();
}

enum class Split { None, Lanes, Growing };

/// threadIdx.x % M or & M: does it tell neighbours of a warp apart?
Split splits(const Expr *E, ASTContext &Ctx) {
  E = E->IgnoreParenCasts();
  const auto *B = dyn_cast<BinaryOperator>(E);
  if (!B)
    return Split::None;
  if (B->isEqualityOp()) {
    Split L = splits(B->getLHS(), Ctx);
    return L != Split::None ? L : splits(B->getRHS(), Ctx);
  }
  if ((B->getOpcode() != BO_Rem && B->getOpcode() != BO_And) || !countsThreads(B->getLHS()))
    return Split::None;
  auto M = constantOf(B->getRHS(), Ctx);
  if (B->getOpcode() == BO_And)
    return M && *M > 0 && *M < 16 ? Split::Lanes : Split::None;
  if (M)
    return *M > 1 && *M <= 8 ? Split::Lanes : Split::None;
  // 2 * s of a reduction by neighbours
  const auto *P = dyn_cast<BinaryOperator>(B->getRHS()->IgnoreParenCasts());
  return P && (P->getOpcode() == BO_Mul || P->getOpcode() == BO_Shl) ? Split::Growing : Split::None;
}

/// Calls of functions that compute, and loops.
class Work : public RecursiveASTVisitor<Work> {
public:
  bool Any = false;
  bool VisitCallExpr(CallExpr *C) {
    CallKind K = callKind(C);
    std::string Name = calleeName(C);
    Any |= K == CallKind::Other && !llvm::StringRef(Name).starts_with("make_") && !isa<CXXOperatorCallExpr>(C);
    return true;
  }
  bool VisitForStmt(ForStmt *) { return Any = true; }
  bool VisitWhileStmt(WhileStmt *) { return Any = true; }
};

bool works(const Stmt *S) {
  Work W;
  if (S)
    W.TraverseStmt(const_cast<Stmt *>(S));
  return W.Any;
}

class BranchVisitor : public RecursiveASTVisitor<BranchVisitor> {
public:
  BranchVisitor(RuleContext &Ctx, const FunctionDecl *F) : Ctx(Ctx), F(F) {}

  bool TraverseForStmt(ForStmt *S) {
    ++Loops;
    bool Go = RecursiveASTVisitor::TraverseForStmt(S);
    --Loops;
    return Go;
  }
  bool VisitIfStmt(IfStmt *S) {
    Split P = splits(S->getCond(), Ctx.TU.AST);
    if (P == Split::Lanes && works(S->getThen()) && works(S->getElse()))
      report(S->getIfLoc(), S->getCond(), "both sides run one after the other in every warp");
    if (P == Split::Growing && Loops)
      report(S->getIfLoc(), S->getCond(), "the active lanes lie scattered over all warps; use neighbouring threads instead");
    return true;
  }
  bool VisitSwitchStmt(SwitchStmt *S) {
    if (splits(S->getCond(), Ctx.TU.AST) != Split::Lanes)
      return true;
    unsigned Cases = 0;
    for (const SwitchCase *C = S->getSwitchCaseList(); C; C = C->getNextSwitchCase())
      Cases += works(C->getSubStmt());
    if (Cases >= 2)
      report(S->getSwitchLoc(), S->getCond(), "its " + std::to_string(Cases) + " paths run one after the other in every warp");
    return true;
  }

private:
  void report(SourceLocation Loc, const Expr *Cond, const llvm::Twine &Why) {
    if (Done)
      return;
    Done = true;
    Ctx.report("divergent_branch", Loc, "'" + Ctx.TU.text(Cond->getSourceRange()) + "' differs between neighbouring threads: " + Why)
        .kernel(F);
  }
  RuleContext &Ctx;
  const FunctionDecl *F;
  unsigned Loops = 0;
  bool Done = false;
};

} // namespace

void perf::checkBranches(RuleContext &Ctx, const FunctionDecl *F) { BranchVisitor(Ctx, F).TraverseStmt(F->getBody()); }
