//===- SignCompare.cpp - comparisons that an unsigned conversion decides ------===//
//
//   if (i - k >= 0)              // unsigned: true for every i and k
//   for (int d = -r; d <= r; …)  // unsigned r: -r is huge, the loop never runs
//   for (int j = i - r; j < n && …; ++j) if (j >= 0)   // unsigned n: no sample at the left border
//   label < classes ? (label < 0 ? a : b) : c      // unsigned classes: label < 0 never gets there
//   old == empty                 // unsigned old, long long empty = -1: never
//
//===--------------------------------------------------------------------------===//
#include "analyzers/rules/type-width/WidthChecks.h"
#include "matchers/Vocabulary.h"

using namespace clang;
using namespace kcheck;

namespace {

bool isUnsigned(const Expr *E) {
  QualType T = E->getType();
  return !T->isDependentType() && T->isUnsignedIntegerType() && !T->isBooleanType();
}

/// Looks for a comparison of the same value with anything but zero: after the wrap it still rejects.
class OtherBound : public DynamicRecursiveASTVisitor {
public:
  OtherBound(const Expr *E, const ASTContext &AST) : E(E), AST(AST) {}
  bool Found = false;
  bool VisitBinaryOperator(BinaryOperator *B) override {
    if (!B->isRelationalOp())
      return true;
    for (auto [Side, Limit] : {std::pair{B->getLHS(), B->getRHS()}, std::pair{B->getRHS(), B->getLHS()}})
      if (auto C = constantValue(Limit, AST); (!C || *C != 0) && sameExpression(Side, E, AST))
        Found = true;
    return !Found;
  }

private:
  const Expr *E;
  const ASTContext &AST;
};

/// Looks for `S < 0`, `S == -1` and the like.
class NegativeTest : public DynamicRecursiveASTVisitor {
public:
  NegativeTest(const Expr *S, const ASTContext &AST) : S(S), AST(AST) {}
  const BinaryOperator *Found = nullptr;
  bool VisitBinaryOperator(BinaryOperator *B) override {
    if (!B->isComparisonOp() || !sameExpression(B->getLHS(), S, AST) || isUnsigned(B->getLHS()))
      return true;
    auto C = constantValue(B->getRHS(), AST);
    if (C && ((*C == 0 && B->getOpcode() == BO_LT) || (*C < 0 && (B->getOpcode() == BO_EQ || B->getOpcode() == BO_LE))))
      Found = B;
    return !Found;
  }

private:
  const Expr *S;
  const ASTContext &AST;
};

/// Looks for `S >= 0`, `S < 0`, `S > -1`: a test whether a signed value is negative.
class SignTest : public DynamicRecursiveASTVisitor {
public:
  /// \p AnyType: of an unsigned one too, as its author believes.
  SignTest(const Expr *S, const ASTContext &AST, bool AnyType = false) : S(S), AST(AST), AnyType(AnyType) {}
  bool Found = false;
  bool VisitBinaryOperator(BinaryOperator *B) override {
    BinaryOperatorKind Op = B->getOpcode();
    for (auto [Side, Limit, Way] : {std::tuple{B->getLHS(), B->getRHS(), Op}, std::tuple{B->getRHS(), B->getLHS(), B->isRelationalOp() ? BinaryOperator::reverseComparisonOp(Op) : Op}})
      if (auto C = constantValue(Limit, AST); C && (AnyType || !isUnsigned(Side)) && sameExpression(Side, S, AST))
        Found |= *C == 0 ? Way == BO_GE || Way == BO_LT : *C == -1 && (Way == BO_GT || Way == BO_LE);
    return !Found;
  }

private:
  const Expr *S;
  const ASTContext &AST;
  bool AnyType;
};

class SignVisitor : public FunctionWalker {
public:
  explicit SignVisitor(WidthReporter &R) : R(R), AST(R.Ctx.TU.AST), Writes(R.Ctx.get<VariableWrites>()) {}

  bool VisitBinaryOperator(BinaryOperator *B) override {
    if (B->isRelationalOp())
      againstZero(B);
    else if (B->isEqualityOp())
      neverEqual(B);
    return true;
  }
  bool VisitForStmt(ForStmt *S) override {
    if (S->getCond())
      negativeStart(S, S->getCond());
    return true;
  }
  bool VisitConditionalOperator(ConditionalOperator *C) override { return mixed(C->getCond(), C->getTrueExpr()); }
  bool VisitIfStmt(IfStmt *S) override {
    clampedToZero(S);
    return mixed(S->getCond(), S->getThen());
  }
  bool VisitCallExpr(CallExpr *C) override {
    std::string Name = calleeName(C);
    if ((Name == "max" || Name == "umax") && C->getNumArgs() == 2)
      for (unsigned I : {0u, 1u})
        if (auto Z = constantValue(C->getArg(1 - I), AST); Z && *Z == 0 && difference(C->getArg(I)) && (isUnsigned(C->getArg(I)) || isUnsigned(C)))
          report(C->getExprLoc(), C->getArg(I), "is unsigned and wraps below zero: max with 0 does nothing");
    return true;
  }

private:
  /// The subtraction that E is or always holds, or null.
  const BinaryOperator *difference(const Expr *E) const {
    E = E->IgnoreParenImpCasts();
    if (const VarDecl *V = namedVariable(E))
      if (const Expr *Value = Writes.onlyValue(V))
        E = Value->IgnoreParenImpCasts();
    const auto *B = dyn_cast<BinaryOperator>(E);
    return B && B->getOpcode() == BO_Sub && !B->getLHS()->getType()->isPointerType() ? B : nullptr;
  }

  /// A value that is widened for the comparison, and a constant which its own type does not hold.
  void neverEqual(const BinaryOperator *B) {
    if (!Function || Function->isTemplateInstantiation() || Function->isDependentContext()) // the types are some caller's
      return;
    for (auto [Side, Other] : {std::pair{B->getLHS(), B->getRHS()}, std::pair{B->getRHS(), B->getLHS()}}) {
      const Expr *V = Side->IgnoreParenImpCasts();
      QualType T = V->getType();
      if (!isa<ImplicitCastExpr>(Side) || !T->isIntegerType() || T->isEnumeralType() || T->isBooleanType() || V->refersToBitField() ||
          constantValue(V, AST) || AST.getTypeSize(T) >= AST.getTypeSize(Side->getType()))
        continue;
      auto C = constantValue(Other, AST);
      bool Signed = T->isSignedIntegerType();
      unsigned Bits = unsigned(AST.getTypeSize(T)) - (Signed ? 1 : 0);
      if (C && (*C >> Bits) != 0 && !(Signed && (*C >> Bits) == -1))
        return report(B->getOperatorLoc(), V, ("is '" + T.getUnqualifiedType().getAsString() + "', which is never " + llvm::Twine(*C)).str());
    }
  }

  /// `t - window` of `t - window + 1`.
  const Expr *withoutConstant(const Expr *E) const {
    const auto *B = dyn_cast<BinaryOperator>(E);
    if (!B || B->getOpcode() != BO_Add)
      return E;
    return constantValue(B->getRHS(), AST) ? B->getLHS() : constantValue(B->getLHS(), AST) ? B->getRHS() : E;
  }

  void report(SourceLocation At, const Expr *What, StringRef Message) {
    if (R.first("sign_compare_bug", At))
      R.Ctx.report("sign_compare_bug", At, "'" + R.Ctx.TU.text(What->getSourceRange()) + "' " + Message).kernel(kernel());
  }

  void againstZero(const BinaryOperator *B) {
    const Expr *Left = B->getLHS(), *Right = B->getRHS();
    BinaryOperatorKind Op = B->getOpcode();
    if (constantValue(Left, AST)) {
      std::swap(Left, Right);
      Op = BinaryOperator::reverseComparisonOp(Op);
    }
    auto C = constantValue(Right, AST);
    if (!C || *C != 0 || !isUnsigned(Left) || (Op != BO_GE && Op != BO_LT))
      return;
    const BinaryOperator *D = difference(Left);
    if (!D || constantValue(Left, AST))
      return;
    OtherBound Other(Left, AST);
    if (const Stmt *Body = Function ? definitionBody(Function) : nullptr)
      Other.TraverseStmt(const_cast<Stmt *>(Body));
    if (!Other.Found)
      report(B->getOperatorLoc(), Left, Op == BO_GE ? "is unsigned here: it wraps instead of going below zero, and the test is always true"
                                                    : "is unsigned here: it wraps instead of going below zero, and the test is never true");
  }

  /// `unsigned j = i - pad; if (j < 0) j = 0;`: what lies before the start is taken for the end.
  void clampedToZero(const IfStmt *S) {
    const auto *B = dyn_cast<BinaryOperator>(S->getCond()->IgnoreParenImpCasts());
    const VarDecl *V = B && B->getOpcode() == BO_LT && isUnsigned(B->getLHS()) ? namedVariable(B->getLHS()) : nullptr;
    auto C = V ? constantValue(B->getRHS(), AST) : std::nullopt;
    auto W = V ? Writes.of(V) : llvm::ArrayRef<VariableWrite>();
    if (!C || *C != 0 || W.empty() || W[0].How != VariableWrite::Init || !W[0].Value)
      return;
    const auto *D = dyn_cast<BinaryOperator>(W[0].Value->IgnoreParenCasts());
    const Stmt *Then = S->getThen();
    if (const auto *Block = dyn_cast<CompoundStmt>(Then); Block && Block->size() == 1)
      Then = Block->body_front();
    const auto *Set = dyn_cast<BinaryOperator>(Then);
    if (D && D->getOpcode() == BO_Sub && Set && Set->getOpcode() == BO_Assign && namedVariable(Set->getLHS()) == V)
      report(B->getOperatorLoc(), B->getLHS(), "is unsigned here: it wraps instead of going below zero, and is never set back");
  }

  /// The signed value that a comparison turns into an unsigned one, or null.
  const Expr *converted(const BinaryOperator *B, const Expr *Side) const {
    const auto *C = dyn_cast<ImplicitCastExpr>(Side);
    if (!C || C->getCastKind() != CK_IntegralCast || !isUnsigned(C) || B->getLHS()->getType()->isDependentType())
      return nullptr;
    const Expr *S = C->getSubExpr()->IgnoreParenImpCasts();
    return S->getType()->isSignedIntegerType() && !constantValue(S, AST) ? S : nullptr;
  }

  /// One of the conditions that keep the loop going.
  void negativeStart(const ForStmt *For, const Expr *Cond) {
    const auto *B = dyn_cast<BinaryOperator>(Cond->IgnoreParenImpCasts());
    if (!B)
      return;
    if (B->getOpcode() == BO_LAnd) {
      negativeStart(For, B->getLHS());
      return negativeStart(For, B->getRHS());
    }
    if (B->getOpcode() != BO_LT && B->getOpcode() != BO_LE)
      return;
    const Expr *S = converted(B, B->getLHS());
    bool Wraps = !S && isUnsigned(B->getLHS());
    if (Wraps)
      S = B->getLHS()->IgnoreParenImpCasts();
    const VarDecl *V = S ? namedVariable(S) : nullptr;
    auto W = V ? Writes.of(V) : llvm::ArrayRef<VariableWrite>();
    if (W.empty() || W[0].How != VariableWrite::Init)
      return;
    const Expr *Start = W[0].Value->IgnoreParenCasts();
    if (Wraps) { // `for (unsigned k = x - r; k <= x + r; ++k) if (k >= 0 && …)`
      SignTest Test(S, AST, /*AnyType=*/true);
      Test.TraverseStmt(const_cast<Stmt *>(For->getBody()));
      if (Test.Found && difference(Start))
        report(B->getOperatorLoc(), S, "is unsigned and starts at a difference that wraps below zero: then the loop never runs, and its test for it is always true");
      return;
    }
    auto C = constantValue(Start, AST);
    const auto *U = dyn_cast<UnaryOperator>(Start);
    if (C ? *C < 0 : U && U->getOpcode() == UO_Minus)
      return report(B->getOperatorLoc(), S, "starts below zero, but is compared as an unsigned value: the loop never runs");
    // `for (j = i - r; j < n; ++j) if (j >= 0)`: the code itself says that j may be negative.
    const BinaryOperator *D = difference(withoutConstant(Start));
    SignTest Test(S, AST);
    Test.TraverseStmt(const_cast<ForStmt *>(For));
    if (D && D->getType()->isSignedIntegerType() && Test.Found)
      report(B->getOperatorLoc(), S, "may start below zero, for which the loop has a test, but is compared as an unsigned value: then the loop never runs");
  }

  bool mixed(const Expr *Cond, const Stmt *Then) {
    const auto *B = Cond ? dyn_cast<BinaryOperator>(Cond->IgnoreParenImpCasts()) : nullptr;
    if (!B || !Then)
      return true;
    if (B->getOpcode() == BO_LAnd)
      return mixed(B->getLHS(), Then) && mixed(B->getRHS(), Then);
    if (B->getOpcode() != BO_LT && B->getOpcode() != BO_LE)
      return true;
    const Expr *S = converted(B, B->getLHS());
    if (!S)
      return true;
    NegativeTest Test(S, AST);
    Test.TraverseStmt(const_cast<Stmt *>(Then));
    if (Test.Found)
      report(B->getOperatorLoc(), S, "is compared as an unsigned value: a negative one is huge and never reaches the test for it below");
    return true;
  }

  WidthReporter &R;
  ASTContext &AST;
  const VariableWrites &Writes;
};

} // namespace

void kcheck::checkSignCompare(WidthReporter &R) { SignVisitor(R).TraverseAST(R.Ctx.TU.AST); }
