#include "actions/engine/Accumulation.h"
#include "actions/engine/Tokens.h"

using namespace clang;
using namespace kcheck;

bool kcheck::sameWords(const ActionContext &Ctx, const Expr *A, const Expr *B) {
  auto X = wordsOf(Ctx.text(A->getSourceRange()), Ctx.LO), Y = wordsOf(Ctx.text(B->getSourceRange()), Ctx.LO);
  return llvm::equal(X, Y, [](const Word &P, const Word &Q) { return P.Text == Q.Text; });
}

/// `X > Y` with the larger side first.
static bool larger(const Expr *Cond, const Expr *&Large, const Expr *&Small) {
  const auto *B = dyn_cast<BinaryOperator>(Cond->IgnoreParenImpCasts());
  if (!B || !B->isRelationalOp())
    return false;
  bool Less = B->getOpcode() == BO_LT || B->getOpcode() == BO_LE;
  Large = Less ? B->getRHS() : B->getLHS();
  Small = Less ? B->getLHS() : B->getRHS();
  return true;
}

/// `Cond ? Yes : No` as the larger or smaller of V and a term.
static bool chosen(const ActionContext &Ctx, const Expr *Cond, const Expr *Yes, const Expr *No, Accumulation &A) {
  const Expr *Large = nullptr, *Small = nullptr;
  if (!larger(Cond, Large, Small))
    return false;
  bool YesIsV = refersTo(Yes, A.V);
  A.Term = YesIsV ? No : Yes;
  const Expr *Compared = refersTo(Large, A.V) ? Small : Large;
  if (refersTo(Large, A.V) == refersTo(Small, A.V) || refersTo(No, A.V) == YesIsV || !sameWords(Ctx, Compared, A.Term))
    return false;
  A.R = (Compared == Large) != YesIsV ? Reduction::Max : Reduction::Min;
  A.Plain = false;
  return true;
}

static bool step(const ActionContext &Ctx, const Stmt *S, Accumulation &A) {
  if (const auto *C = dyn_cast<CompoundStmt>(S); C && C->size() == 1)
    S = C->body_front();
  if (const auto *I = dyn_cast<IfStmt>(S)) {
    const Stmt *Then = I->getThen();
    if (const auto *C = dyn_cast<CompoundStmt>(Then); C && C->size() == 1)
      Then = C->body_front();
    const auto *E = dyn_cast<Expr>(Then);
    const auto *B = E ? dyn_cast<BinaryOperator>(E->IgnoreParenImpCasts()) : nullptr;
    if (I->getElse() || I->hasInitStorage() || I->hasVarStorage() || !B || B->getOpcode() != BO_Assign)
      return false;
    A.V = dyn_cast_or_null<VarDecl>(referredTo(B->getLHS()));
    return A.V && chosen(Ctx, I->getCond(), B->getRHS(), B->getLHS(), A);
  }
  const auto *Whole = dyn_cast<Expr>(S);
  const auto *B = Whole ? dyn_cast<BinaryOperator>(Whole->IgnoreParenImpCasts()) : nullptr;
  A.V = B && B->isAssignmentOp() ? dyn_cast_or_null<VarDecl>(referredTo(B->getLHS())) : nullptr;
  if (!A.V)
    return false;
  if (B->getOpcode() == BO_AddAssign) {
    A.Term = B->getRHS();
    return true;
  }
  if (B->getOpcode() != BO_Assign)
    return false;
  A.Plain = false;
  const Expr *E = B->getRHS()->IgnoreParenImpCasts();
  const Expr *L = nullptr, *R = nullptr;
  if (const auto *P = dyn_cast<BinaryOperator>(E); P && P->getOpcode() == BO_Add) {
    L = P->getLHS(), R = P->getRHS();
  } else if (const auto *C = dyn_cast<CallExpr>(E); C && C->getNumArgs() == 2) {
    std::string N = calleeName(C);
    bool Max = N == "fmaxf" || N == "fmax" || N == "max", Min = N == "fminf" || N == "fmin" || N == "min";
    if (!Max && !Min)
      return false;
    A.R = Max ? Reduction::Max : Reduction::Min;
    L = C->getArg(0), R = C->getArg(1);
  } else if (const auto *O = dyn_cast<ConditionalOperator>(E)) {
    return chosen(Ctx, O->getCond(), O->getTrueExpr(), O->getFalseExpr(), A);
  }
  if (!L || refersTo(L, A.V) == refersTo(R, A.V))
    return false;
  A.Term = refersTo(L, A.V) ? R : L;
  return true;
}

std::optional<Accumulation> kcheck::accumulation(const ActionContext &Ctx, const Stmt *S) {
  Accumulation A;
  if (!step(Ctx, S, A) || !A.V->isLocalVarDecl() || namedIn(A.Term).count(A.V))
    return std::nullopt;
  return A;
}

const ValueDecl *kcheck::memoryOf(ActionContext &Ctx, const Expr *E) {
  const VariableWrites &Writes = Ctx.get<VariableWrites>();
  for (unsigned Depth = 0; E && Depth < 16; ++Depth) {
    E = E->IgnoreParenCasts();
    if (const auto *A = dyn_cast<ArraySubscriptExpr>(E))
      E = A->getBase();
    else if (const auto *U = dyn_cast<UnaryOperator>(E))
      E = U->getSubExpr();
    else if (const auto *B = dyn_cast<BinaryOperator>(E); B && B->isAdditiveOp())
      E = B->getLHS()->getType()->isPointerType() ? B->getLHS() : B->getRHS();
    else if (const auto *D = dyn_cast<DeclRefExpr>(E)) {
      const auto *V = dyn_cast<VarDecl>(D->getDecl());
      const Expr *Value = V && V->isLocalVarDecl() ? Writes.onlyValue(V) : nullptr;
      if (!Value)
        return D->getDecl();
      E = Value;
    } else
      return nullptr;
  }
  return nullptr;
}
