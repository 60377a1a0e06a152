#include "matchers/LoadUses.h"
#include "clang/AST/ParentMapContext.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "matchers/VariableWrites.h"
#include "matchers/Vocabulary.h"

using namespace clang;
using namespace kcheck;

namespace kcheck {
class ReferenceCollector : public DynamicRecursiveASTVisitor {
public:
  explicit ReferenceCollector(References &Out) : Out(Out) { ShouldVisitTemplateInstantiations = true; }
  bool VisitDeclRefExpr(DeclRefExpr *E) override {
    Out.Refs[E->getDecl()].push_back(E);
    return true;
  }

private:
  References &Out;
};
} // namespace kcheck

References::References(ASTContext &AST) { ReferenceCollector(*this).TraverseAST(AST); }

llvm::ArrayRef<const DeclRefExpr *> References::of(const ValueDecl *D) const {
  auto It = Refs.find(D);
  return It == Refs.end() ? llvm::ArrayRef<const DeclRefExpr *>() : llvm::ArrayRef<const DeclRefExpr *>(It->second);
}

namespace {

class Follow {
public:
  Follow(ASTContext &AST, const References &Refs, LoadUse &Out) : AST(AST), Refs(Refs), Out(Out) {}

  void pointer(const Expr *E, unsigned Depth) {
    if (Depth > 12 || !Seen.insert(E).second)
      return;
    auto [S, D] = parent(E);
    if (const auto *V = dyn_cast_or_null<VarDecl>(D))
      return variable(V, [&](const Expr *R) { pointer(R, Depth + 1); });
    if (!S)
      return;
    if (isa<ParenExpr>(S) || isPlainCast(S))
      return pointer(cast<Expr>(S), Depth + 1);
    if (const auto *A = dyn_cast<ArraySubscriptExpr>(S)) {
      if (A->getBase() != E && A->getBase()->IgnoreParenImpCasts() != E->IgnoreParenImpCasts())
        return;
      Out.Indices.push_back(A->getIdx());
      return place(A, Depth + 1);
    }
    if (const auto *U = dyn_cast<UnaryOperator>(S)) {
      if (U->getOpcode() == UO_Deref)
        place(U, Depth + 1);
      else if (U->isIncrementDecrementOp())
        pointer(U, Depth + 1);
      return;
    }
    if (const auto *M = dyn_cast<MemberExpr>(S))
      return place(M, Depth + 1);
    if (const auto *B = dyn_cast<BinaryOperator>(S)) {
      if (B->isAdditiveOp())
        pointer(B, Depth + 1);
      else if (B->getOpcode() == BO_Assign && B->getRHS()->IgnoreParenImpCasts() == E->IgnoreParenImpCasts())
        if (const auto *L = dyn_cast<DeclRefExpr>(B->getLHS()->IgnoreParenImpCasts()))
          for (const DeclRefExpr *R : Refs.of(L->getDecl()))
            if (R != L)
              pointer(R, Depth + 1);
      return;
    }
    if (const auto *C = dyn_cast<CallExpr>(S))
      argument(C, E, Depth);
  }

private:
  using Parent = std::pair<const Stmt *, const Decl *>;

  Parent parent(const Stmt *S) {
    auto P = AST.getParents(*S);
    if (P.empty())
      return {nullptr, nullptr};
    return {P[0].get<Stmt>(), P[0].get<Decl>()};
  }

  template <class Fn> void variable(const VarDecl *V, Fn Go) {
    for (const DeclRefExpr *R : Refs.of(V))
      Go(R);
  }

  static bool isPlainCast(const Stmt *S) {
    const auto *C = dyn_cast<CastExpr>(S);
    return C && (C->getCastKind() == CK_NoOp || C->getCastKind() == CK_LValueToRValue || C->getCastKind() == CK_ArrayToPointerDecay ||
                 (C->getCastKind() == CK_BitCast && isa<ImplicitCastExpr>(C) && !C->getType()->isVoidPointerType()));
  }

  void argument(const CallExpr *C, const Expr *E, unsigned Depth) {
    const FunctionDecl *F = C->getDirectCallee();
    if (!F)
      return;
    StringRef Name = F->getIdentifier() ? F->getName() : "";
    if (Name.starts_with("__ld")) { // cached loads
      Out.Loaded = true;
      return value(C, Depth + 1);
    }
    parameterOf(C, E, [&](const Expr *R) { pointer(R, Depth + 2); });
  }

  /// The uses of the parameter that gets the argument \p E, where the file shows the function.
  template <class Fn> void parameterOf(const CallExpr *C, const Expr *E, Fn Go) {
    const FunctionDecl *F = C->getDirectCallee(), *Def = nullptr;
    if (!F || isa<CXXOperatorCallExpr>(C) || !F->getBody(Def))
      return;
    for (unsigned I = 0; I < C->getNumArgs() && I < Def->getNumParams(); ++I)
      if (C->getArg(I) == E || C->getArg(I)->IgnoreParenImpCasts() == E->IgnoreParenImpCasts())
        variable(Def->getParamDecl(I), Go);
  }

  /// An lvalue that the pointer leads to.
  void place(const Expr *E, unsigned Depth) {
    if (Depth > 14 || !Places.insert(E).second)
      return;
    auto [S, D] = parent(E);
    if (const auto *V = dyn_cast_or_null<VarDecl>(D)) {
      Out.Loaded = true;
      return variable(V, [&](const Expr *R) { place(R, Depth + 1); });
    }
    if (!S)
      return;
    if (const auto *C = dyn_cast<CastExpr>(S)) {
      if (C->getCastKind() == CK_LValueToRValue) {
        Out.Loaded = true;
        return value(C, Depth + 1);
      }
      if (C->getCastKind() == CK_NoOp)
        return place(C, Depth + 1);
      if (C->getCastKind() == CK_ArrayToPointerDecay)
        return pointer(C, Depth + 1);
      return;
    }
    if (isa<ParenExpr, MemberExpr>(S))
      return place(cast<Expr>(S), Depth + 1);
    if (const auto *B = dyn_cast<BinaryOperator>(S)) {
      bool Left = B->getLHS()->IgnoreParenImpCasts() == E->IgnoreParenImpCasts();
      if (B->isCompoundAssignmentOp()) {
        Out.Loaded = Out.Stored = true;
        Out.Number |= !B->isBitwiseOp() && B->getOpcode() < BO_AndAssign;
      } else if (Left && B->getOpcode() == BO_Assign) {
        Out.StoredFirst |= !Out.Loaded;
        Out.Stored = true;
      }
      return;
    }
    if (const auto *U = dyn_cast<UnaryOperator>(S); U && U->isIncrementDecrementOp())
      Out.Number = Out.Stored = true;
    else if (isa<CXXConstructExpr>(S) || isa<MaterializeTemporaryExpr>(S)) { // a class type is copied
      Out.Loaded = true;
      value(cast<Expr>(S), Depth + 1);
    } else if (const auto *C = dyn_cast<CallExpr>(S)) { // by reference
      Out.Loaded = true;
      value(E, Depth + 1);
      parameterOf(C, E, [&](const Expr *R) { place(R, Depth + 2); });
    }
  }

  /// A value that was read.
  void value(const Expr *E, unsigned Depth) {
    if (Depth > 16 || !Values.insert(E).second)
      return;
    auto [S, D] = parent(E);
    if (const auto *V = dyn_cast_or_null<VarDecl>(D))
      return variable(V, [&](const Expr *R) { place(R, Depth + 2); });
    if (!S)
      return;
    if (const auto *C = dyn_cast<CastExpr>(S)) {
      CastKind K = C->getCastKind();
      if (K == CK_IntegralToFloating)
        Out.FloatMade = Out.Number = true;
      else if (K == CK_FloatingToIntegral || K == CK_FloatingCast || K == CK_FloatingToBoolean)
        Out.Number = true;
      else if (K == CK_IntegralToPointer)
        return;
      return value(C, Depth + 1);
    }
    if (isa<ParenExpr, CXXConstructExpr, MaterializeTemporaryExpr, ExprWithCleanups, ConditionalOperator>(S))
      return value(cast<Expr>(S), Depth + 1);
    if (const auto *A = dyn_cast<ArraySubscriptExpr>(S)) {
      Out.Number |= A->getIdx() == E || A->getIdx()->IgnoreParenImpCasts() == E->IgnoreParenImpCasts();
      return;
    }
    if (const auto *B = dyn_cast<BinaryOperator>(S)) {
      if (B->isAdditiveOp() || B->isMultiplicativeOp() || B->isComparisonOp() ||
          (B->isCompoundAssignmentOp() && B->getOpcode() < BO_ShlAssign))
        Out.Number = true;
      else if (B->getOpcode() == BO_Assign)
        if (const auto *L = dyn_cast<DeclRefExpr>(B->getLHS()->IgnoreParenImpCasts()))
          for (const DeclRefExpr *R : Refs.of(L->getDecl()))
            if (R != L)
              place(R, Depth + 2);
      return;
    }
    if (const auto *O = dyn_cast<CXXOperatorCallExpr>(S)) {
      Out.Number |= O->getOperator() != OO_Equal && O->getOperator() != OO_Subscript;
      return;
    }
    if (const auto *C = dyn_cast<CallExpr>(S))
      Out.Number |= takesNumbers(C, E);
  }

  /// A function of floating-point numbers; one that takes integers may well unpack them.
  static bool takesNumbers(const CallExpr *C, const Expr *E) {
    const FunctionDecl *F = C->getDirectCallee();
    StringRef Name = F && F->getIdentifier() ? F->getName() : "";
    return E->getType()->isRealFloatingType() && !Name.contains("_as_") && !Name.starts_with("__st");
  }

  ASTContext &AST;
  const References &Refs;
  LoadUse &Out;
  llvm::SmallPtrSet<const Expr *, 16> Seen, Places, Values;
};

} // namespace

LoadUse kcheck::loadUses(const Expr *Pointer, ASTContext &AST, const References &Refs) {
  LoadUse Out;
  Follow(AST, Refs, Out).pointer(Pointer, 0);
  return Out;
}
