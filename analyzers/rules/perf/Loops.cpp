//===- Loops.cpp - inner loops that should be unrolled -------------------------------===//
//
//   for (int k = 0; k < 32; ++k) acc = fmaf(a[ty][k], b[k][tx], acc);      no #pragma unroll
//   for (int k = 0; k < 16; ++k) acc[k] += …;          registers cannot be indexed by a variable
//
// Only a multiply-add or a register array in an innermost loop of 12 to 64 constant steps: shorter ones the
// compiler unrolls by itself.
//
//===--------------------------------------------------------------------------===//
#include "Perf.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "matchers/Vocabulary.h"

using namespace clang;
using namespace kcheck;

namespace {

/// Steps of for (i = A; i < B; i += C) with constants, or nothing.
std::optional<int64_t> tripCount(const ForStmt *S, const VarDecl *&Counter, ASTContext &Ctx) {
  const auto *D = dyn_cast_or_null<DeclStmt>(S->getInit());
  if (!D || !D->isSingleDecl() || !S->getCond() || !S->getInc())
    return std::nullopt;
  Counter = dyn_cast<VarDecl>(D->getSingleDecl());
  if (!Counter || !Counter->getInit())
    return std::nullopt;
  auto Value = [&](const Expr *E) -> std::optional<int64_t> {
    Expr::EvalResult R;
    if (E->isValueDependent() || E->isTypeDependent() || !E->getType()->isIntegerType() || !E->EvaluateAsInt(R, Ctx))
      return std::nullopt;
    return R.Val.getInt().getExtValue();
  };
  auto IsCounter = [&](const Expr *E) {
    const auto *R = dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts());
    return R && R->getDecl() == Counter;
  };
  const auto *C = dyn_cast<BinaryOperator>(S->getCond()->IgnoreParens());
  if (!C || !IsCounter(C->getLHS()) || (C->getOpcode() != BO_LT && C->getOpcode() != BO_LE && C->getOpcode() != BO_NE))
    return std::nullopt;
  int64_t Step = 1;
  if (const auto *U = dyn_cast<UnaryOperator>(S->getInc()->IgnoreParens())) {
    if (!U->isIncrementOp() || !IsCounter(U->getSubExpr()))
      return std::nullopt;
  } else if (const auto *A = dyn_cast<CompoundAssignOperator>(S->getInc()->IgnoreParens())) {
    auto By = Value(A->getRHS());
    if (A->getOpcode() != BO_AddAssign || !By || *By <= 0)
      return std::nullopt;
    Step = *By;
  } else
    return std::nullopt;
  auto Begin = Value(Counter->getInit()), End = Value(C->getRHS());
  if (!Begin || !End)
    return std::nullopt;
  return (*End - *Begin + (C->getOpcode() == BO_LE) + Step - 1) / Step;
}

/// What a loop body does, as far as unrolling is concerned.
class Body : public RecursiveASTVisitor<Body> {
public:
  explicit Body(const VarDecl *Counter) : Counter(Counter) {}
  bool Loops = false, Branches = false, Barriers = false, MultiplyAdd = false, Registers = false;
  unsigned Statements = 0;
  bool Loads = false; ///< without any, one step waits for the other, unrolled or not

  bool VisitArraySubscriptExpr(ArraySubscriptExpr *) { return Loads = true; }
  bool VisitForStmt(ForStmt *) { return Loops = true; }
  bool VisitWhileStmt(WhileStmt *) { return Loops = true; }
  bool VisitDoStmt(DoStmt *) { return Loops = true; }
  bool VisitIfStmt(IfStmt *) { return Branches = true; }
  bool VisitSwitchStmt(SwitchStmt *) { return Branches = true; }
  bool VisitBreakStmt(BreakStmt *) { return Branches = true; }
  bool VisitCallExpr(CallExpr *C) {
    CallKind K = callKind(C);
    Barriers |= K != CallKind::Other;
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator *B) {
    if (!B->isAssignmentOp())
      return true;
    const Expr *To = B->getLHS()->IgnoreParenImpCasts(), *From = B->getRHS()->IgnoreParenImpCasts();
    bool Compound = B->getOpcode() == BO_AddAssign;
    if (B->getType()->isRealFloatingType() && isAccumulator(To)) {
      const auto *Call = dyn_cast<CallExpr>(From);
      std::string Name = Call ? calleeName(Call) : "";
      MultiplyAdd |= Name == "fmaf" || Name == "fma" || Name == "__fmaf_rn";
      MultiplyAdd |= Compound && isProduct(From);
    }
    if (const auto *A = dyn_cast<ArraySubscriptExpr>(To)) {
      const auto *Base = dyn_cast<DeclRefExpr>(A->getBase()->IgnoreParenImpCasts());
      const auto *V = Base ? dyn_cast<VarDecl>(Base->getDecl()) : nullptr;
      const auto *I = dyn_cast<DeclRefExpr>(A->getIdx()->IgnoreParenImpCasts());
      Registers |= Compound && V && V->hasLocalStorage() && V->getType()->isConstantArrayType() && I && I->getDecl() == Counter;
    }
    return true;
  }

private:
  static bool isProduct(const Expr *E) {
    const auto *B = dyn_cast<BinaryOperator>(E);
    return B && B->getOpcode() == BO_Mul;
  }
  static bool isAccumulator(const Expr *E) {
    const auto *D = dyn_cast<DeclRefExpr>(E);
    const auto *V = D ? dyn_cast<VarDecl>(D->getDecl()) : nullptr;
    return V && V->hasLocalStorage();
  }
  const VarDecl *Counter;
};

class LoopVisitor : public RecursiveASTVisitor<LoopVisitor> {
public:
  LoopVisitor(RuleContext &Ctx, const FunctionDecl *F) : Ctx(Ctx), F(F) {}
  /// A loop with a hint is as its author wants it; what is inside still counts.
  bool TraverseAttributedStmt(AttributedStmt *S) {
    for (const Attr *A : S->getAttrs())
      if (const auto *H = dyn_cast<LoopHintAttr>(A); H && !keepsRolled(*H))
        Hinted.insert(S->getSubStmt());
    return RecursiveASTVisitor::TraverseAttributedStmt(S);
  }
  /// `#pragma unroll 1`
  bool keepsRolled(const LoopHintAttr &H) const {
    Expr::EvalResult R;
    return H.getState() == LoopHintAttr::Disable || (H.getOption() == LoopHintAttr::UnrollCount && H.getValue() && !H.getValue()->isValueDependent() &&
                                                     H.getValue()->EvaluateAsInt(R, Ctx.TU.AST) && R.Val.getInt() == 1);
  }
  bool VisitForStmt(ForStmt *S) {
    if (Done || Hinted.count(S))
      return true;
    const VarDecl *Counter = nullptr;
    auto Trips = tripCount(S, Counter, Ctx.TU.AST);
    if (!Trips || *Trips < 12 || *Trips > 64)
      return true;
    Body B(Counter);
    B.TraverseStmt(S->getBody());
    if (B.Loops || B.Branches || B.Barriers || !((B.MultiplyAdd && B.Loads) || B.Registers))
      return true;
    Done = true;
    Ctx.report("missing_unroll", S->getForLoc(),
               "the inner loop always makes " + std::to_string(*Trips) + " steps but is not unrolled" +
                   (B.Registers ? ": an array that it indexes may end in local memory" : "") + "; add #pragma unroll")
        .kernel(F)
        .evidence("steps", *Trips);
    return true;
  }

private:
  RuleContext &Ctx;
  const FunctionDecl *F;
  llvm::DenseSet<const Stmt *> Hinted;
  bool Done = false;
};

} // namespace

void perf::checkLoops(RuleContext &Ctx, const FunctionDecl *F) { LoopVisitor(Ctx, F).TraverseStmt(F->getBody()); }
