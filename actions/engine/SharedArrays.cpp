#include "actions/engine/SharedArrays.h"

using namespace clang;
using namespace kcheck;

uint64_t kcheck::sharedBytes(const ActionContext &Ctx, const KernelView &K) {
  uint64_t Bytes = 0;
  forEachStmt(K.body(), [&](const Stmt *S) {
    if (const auto *D = dyn_cast<DeclStmt>(S))
      for (const Decl *X : D->decls())
        if (const auto *V = dyn_cast<VarDecl>(X); V && isSharedVariable(V) && !isDynamicShared(V) && !V->getType()->isDependentType() && !V->getType()->isIncompleteType())
          Bytes += uint64_t(Ctx.AST.getTypeSizeInChars(V->getType()).getQuantity());
  });
  return Bytes;
}

/// The words between the last brackets of a declarator `a[..][N]`.
static SourceRange lastBrackets(const ActionContext &Ctx, const VarDecl *V) {
  const TypeSourceInfo *T = V->getTypeSourceInfo();
  if (!T)
    return {};
  ArrayTypeLoc Last;
  for (TypeLoc L = T->getTypeLoc(); L;) {
    if (auto Q = L.getAs<QualifiedTypeLoc>()) {
      L = Q.getUnqualifiedLoc();
      continue;
    }
    auto A = L.getAs<ArrayTypeLoc>();
    if (!A)
      break;
    Last = A;
    L = A.getElementLoc();
  }
  return Last && Last.getSizeExpr() ? Last.getSizeExpr()->getSourceRange() : SourceRange();
}

static void judge(const ActionContext &Ctx, const KernelView &K, SharedArray &A) {
  llvm::DenseSet<const DeclRefExpr *> Fine;
  auto Take = [&](const ArraySubscriptExpr *Outer) -> const DeclRefExpr * {
    const Expr *E = Outer;
    for (size_t I = 0; I < A.Extents.size(); ++I) {
      const auto *S = dyn_cast<ArraySubscriptExpr>(E->IgnoreParenImpCasts());
      if (!S)
        return nullptr;
      E = S->getBase();
    }
    const auto *D = dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts());
    return D && D->getDecl() == A.V ? D : nullptr;
  };
  llvm::DenseSet<const ArraySubscriptExpr *> Viewed;
  forEachStmt(K.body(), [&](const Stmt *S) {
    // *reinterpret_cast<const float4 *>(&a[i][j])
    if (const auto *C = dyn_cast<ExplicitCastExpr>(S))
      if (const auto *U = dyn_cast<UnaryOperator>(C->getSubExpr()->IgnoreParenImpCasts()); U && U->getOpcode() == UO_AddrOf && C->getType()->isPointerType())
        if (const auto *Sub = dyn_cast<ArraySubscriptExpr>(U->getSubExpr()->IgnoreParens()); Sub && Take(Sub)) {
          int64_t Bytes = Ctx.AST.getTypeSizeInChars(C->getType()->getPointeeType()).getQuantity(), Own = Ctx.AST.getTypeSizeInChars(A.Element).getQuantity();
          A.Multiple = std::max(A.Multiple, unsigned(Bytes / std::max<int64_t>(Own, 1)));
          Viewed.insert(Sub);
        }
  });
  forEachStmt(K.body(), [&](const Stmt *S) {
    if (const auto *Sub = dyn_cast<ArraySubscriptExpr>(S))
      if (const DeclRefExpr *D = Take(Sub)) {
        Fine.insert(D);
        A.Places.push_back(Sub);
        if (!Ctx.editable(Sub->getSourceRange()))
          A.WhyNot = "a place of it stands in a macro";
      }
    if (const auto *U = dyn_cast<UnaryOperator>(S); U && U->getOpcode() == UO_AddrOf)
      if (const auto *Sub = dyn_cast<ArraySubscriptExpr>(U->getSubExpr()->IgnoreParens()); Sub && Take(Sub) && !Viewed.count(Sub))
        A.WhyNot = "the address of an element is taken at line " + std::to_string(Ctx.TU.where(U->getBeginLoc()).Line);
  });
  forEachStmt(K.body(), [&](const Stmt *S) {
    if (const auto *D = dyn_cast<DeclRefExpr>(S); D && D->getDecl() == A.V && !Fine.count(D))
      A.WhyNot = "it is used other than by full subscripts at line " + std::to_string(Ctx.TU.where(D->getBeginLoc()).Line);
  });
  if (A.Places.empty() && A.WhyNot.empty())
    A.WhyNot = "it is not used";
}

std::vector<SharedArray> kcheck::sharedArrays(const ActionContext &Ctx, const KernelView &K) {
  std::vector<SharedArray> Out;
  forEachStmt(K.body(), [&](const Stmt *S) {
    const auto *D = dyn_cast<DeclStmt>(S);
    if (!D)
      return;
    for (const Decl *X : D->decls()) {
      const auto *V = dyn_cast<VarDecl>(X);
      if (!V || !isSharedVariable(V))
        continue;
      SharedArray A;
      A.V = V;
      QualType T = V->getType();
      while (const auto *Array = T->isDependentType() ? nullptr : Ctx.AST.getAsConstantArrayType(T)) {
        A.Extents.push_back(Array->getSize().getZExtValue());
        T = Array->getElementType();
      }
      A.Element = T;
      A.LastExtent = lastBrackets(Ctx, V);
      if (isDynamicShared(V))
        A.WhyNot = "its size comes from the launch";
      else if (A.Extents.size() < 2)
        A.WhyNot = "it has no rows";
      else if (A.LastExtent.isInvalid() || !Ctx.editable(A.LastExtent))
        A.WhyNot = "its extent comes from a macro";
      else
        judge(Ctx, K, A);
      Out.push_back(std::move(A));
    }
  });
  return Out;
}
