//===- Literals.cpp - double literals in float arithmetic ---------------------------===//
//
//   return 0.5 * x * (1.0 + tanhf(x));        the float is widened, multiplied as double, cut again
//   return 0.5f * x * (1.0f + tanhf(x));
//
// Only where the result becomes a float again: a double accumulator is there on purpose.
//
//===--------------------------------------------------------------------------===//
#include "Perf.h"
#include "clang/AST/RecursiveASTVisitor.h"

using namespace clang;
using namespace kcheck;

namespace {

bool isDouble(QualType T) { return T->isSpecificBuiltinType(BuiltinType::Double); }
bool isFloat(QualType T) { return T->isSpecificBuiltinType(BuiltinType::Float); }

/// A double computation: the literal in it, and whether a float was widened for it.
struct Parts {
  const FloatingLiteral *Literal = nullptr;
  bool Widened = false;
  bool OwnDouble = false; ///< a double variable or cast takes part: double is meant

  void add(const Expr *E, unsigned Depth = 0) {
    E = E->IgnoreParens();
    if (Depth > 40)
      return;
    if (const auto *L = dyn_cast<FloatingLiteral>(E)) {
      if (isDouble(L->getType()) && !Literal)
        Literal = L;
    } else if (const auto *C = dyn_cast<ImplicitCastExpr>(E)) {
      QualType From = C->getSubExpr()->getType();
      if (C->getCastKind() == CK_FloatingCast && isFloat(From) && isDouble(C->getType()))
        Widened = true;
      else if (C->getCastKind() == CK_LValueToRValue && isDouble(C->getType()))
        OwnDouble = true;
    } else if (isa<ExplicitCastExpr>(E)) {
      OwnDouble = true;
    } else if (const auto *B = dyn_cast<BinaryOperator>(E)) {
      add(B->getLHS(), Depth + 1);
      add(B->getRHS(), Depth + 1);
    } else if (const auto *U = dyn_cast<UnaryOperator>(E)) {
      add(U->getSubExpr(), Depth + 1);
    } else if (const auto *Q = dyn_cast<ConditionalOperator>(E)) {
      add(Q->getTrueExpr(), Depth + 1);
      add(Q->getFalseExpr(), Depth + 1);
    } else if (const auto *Call = dyn_cast<CallExpr>(E)) {
      for (const Expr *A : Call->arguments())
        if (isDouble(A->getType()))
          add(A, Depth + 1);
    }
  }
  bool bad() const { return Literal && Widened && !OwnDouble; }
};

class LiteralVisitor : public RecursiveASTVisitor<LiteralVisitor> {
public:
  const FloatingLiteral *Found = nullptr;
  unsigned Count = 0;

  bool VisitImplicitCastExpr(ImplicitCastExpr *C) {
    if (C->getCastKind() == CK_FloatingCast && isFloat(C->getType()) && isDouble(C->getSubExpr()->getType()))
      judge(C->getSubExpr());
    return true;
  }
  bool VisitCompoundAssignOperator(CompoundAssignOperator *C) {
    if (!isFloat(C->getLHS()->getType()) || !isDouble(C->getComputationLHSType()))
      return true;
    Parts P;
    P.Widened = true;
    P.add(C->getRHS());
    take(P);
    return true;
  }

private:
  void judge(const Expr *E) {
    Parts P;
    P.add(E);
    take(P);
  }
  void take(const Parts &P) {
    if (!P.bad())
      return;
    ++Count;
    if (!Found)
      Found = P.Literal;
  }
};

} // namespace

void perf::checkLiterals(RuleContext &Ctx, const FunctionDecl *F) {
  LiteralVisitor V;
  V.TraverseStmt(F->getBody());
  if (!V.Found)
    return;
  std::string Text = Ctx.TU.text(V.Found->getSourceRange());
  Ctx.report("double_literal", V.Found->getBeginLoc(),
             "the double literal '" + Text + "' makes this float arithmetic double; write it with an f" +
                 (V.Count > 1 ? " (" + std::to_string(V.Count) + " places in " + F->getNameAsString() + ")" : ""))
      .kernel(F);
}
