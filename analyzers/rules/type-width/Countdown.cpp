//===- Countdown.cpp - unsigned counters that never fall below zero -----------===//
#include "analyzers/rules/type-width/WidthChecks.h"

using namespace clang;
using namespace kcheck;

namespace {

/// Whether a part of the loop leaves it by a test of V.
class LeavesByTest : public DynamicRecursiveASTVisitor {
public:
  explicit LeavesByTest(const VarDecl *V) : V(V) {}
  bool Found = false;
  bool VisitIfStmt(IfStmt *S) override {
    if (mentions(S->getCond()) && (leaves(S->getThen()) || leaves(S->getElse())))
      Found = true;
    return !Found;
  }

private:
  bool mentions(const Stmt *S) const {
    if (!S)
      return false;
    if (const auto *D = dyn_cast<DeclRefExpr>(S); D && D->getDecl() == V)
      return true;
    return llvm::any_of(S->children(), [&](const Stmt *C) { return mentions(C); });
  }
  static bool leaves(const Stmt *S) {
    if (!S)
      return false;
    if (isa<BreakStmt, ReturnStmt, GotoStmt>(S))
      return true;
    return llvm::any_of(S->children(), [](const Stmt *C) { return leaves(C); });
  }
  const VarDecl *V;
};

class CountdownVisitor : public FunctionWalker {
public:
  explicit CountdownVisitor(WidthReporter &R) : R(R), AST(R.Ctx.TU.AST), SM(R.Ctx.TU.sources()), Writes(R.Ctx.get<VariableWrites>()) {}

  bool VisitForStmt(ForStmt *S) override { return loop(S, S->getCond()); }
  bool VisitWhileStmt(WhileStmt *S) override { return loop(S, S->getCond()); }
  bool VisitDoStmt(DoStmt *S) override { return loop(S, S->getCond()); }

private:
  struct Test {
    const VarDecl *V;
    bool AlwaysTrue;
  };

  /// V >= 0, V-- >= 0, 0 <= V, V > -1, over an unsigned V.
  std::optional<Test> test(const BinaryOperator *B) const {
    const Expr *Left = B->getLHS(), *Right = B->getRHS();
    BinaryOperatorKind Op = B->getOpcode();
    if (constantValue(Left, AST)) {
      std::swap(Left, Right);
      Op = BinaryOperator::reverseComparisonOp(Op);
    }
    const Expr *E = Left->IgnoreParenImpCasts();
    if (const auto *U = dyn_cast<UnaryOperator>(E); U && U->isIncrementDecrementOp())
      E = U->getSubExpr()->IgnoreParenImpCasts();
    const VarDecl *V = namedVariable(E);
    auto C = constantValue(Right->IgnoreParenImpCasts(), AST);
    if (!V || !C || !V->getType().getNonReferenceType()->isUnsignedIntegerType() || V->getType()->isBooleanType())
      return std::nullopt;
    if (Op == BO_GE && *C == 0)
      return Test{V, true};
    // A narrow V is promoted and compares with -1 as meant; a wide one never exceeds it.
    if (Op == BO_GT && *C == -1)
      return Test{V, AST.getTypeSize(V->getType()) < AST.getTypeSize(AST.IntTy)};
    return std::nullopt;
  }

  bool loop(const Stmt *Loop, const Expr *Cond) {
    if (Cond)
      look(Loop, Cond);
    return true;
  }

  void look(const Stmt *Loop, const Expr *Cond) {
    const auto *B = dyn_cast<BinaryOperator>(Cond->IgnoreParenImpCasts());
    if (!B)
      return;
    if (B->getOpcode() == BO_LAnd) {
      look(Loop, B->getLHS());
      look(Loop, B->getRHS());
      return;
    }
    if (!B->isComparisonOp())
      return;
    auto T = test(B);
    if (!T || !fallsIn(Loop, T->V))
      return;
    LeavesByTest Leaves(T->V);
    Leaves.TraverseStmt(const_cast<Stmt *>(Loop));
    if (Leaves.Found || !R.first("unsigned_countdown", B->getOperatorLoc()))
      return;
    std::string Type = T->V->getType().getNonReferenceType().getUnqualifiedType().getAsString();
    std::string Message = "'" + T->V->getNameAsString() + "' is " + Type;
    Message += T->AlwaysTrue ? ": the test is always true, and below zero it wraps to the largest value" : ": no value is greater than -1, the loop never runs";
    R.Ctx.report("unsigned_countdown", B->getOperatorLoc(), Message).kernel(kernel()).note(T->V->getLocation(), "declared here");
  }

  /// Whether the loop takes V down.
  bool fallsIn(const Stmt *Loop, const VarDecl *V) const {
    for (const VariableWrite &W : Writes.of(V)) {
      bool Down = W.How >= VariableWrite::Compound &&
                  (W.Op == BO_SubAssign || W.Op == BO_ShrAssign || W.Op == BO_DivAssign);
      if (W.How == VariableWrite::Assign) {
        const auto *B = dyn_cast<BinaryOperator>(W.Value->IgnoreParenCasts());
        Down = B && (B->getOpcode() == BO_Sub || B->getOpcode() == BO_Shr || B->getOpcode() == BO_Div) && namedVariable(B->getLHS()) == V;
      }
      if (Down && W.At && SM.isPointWithin(W.At->getBeginLoc(), Loop->getBeginLoc(), Loop->getEndLoc()))
        return true;
    }
    return false;
  }

  WidthReporter &R;
  ASTContext &AST;
  const SourceManager &SM;
  const VariableWrites &Writes;
};

} // namespace

void kcheck::checkCountdown(WidthReporter &R) { CountdownVisitor(R).TraverseAST(R.Ctx.TU.AST); }
