#include "actions/contraction/Words.h"

using namespace clang;
using namespace kcheck;

void kcheck::conjuncts(const Expr *E, std::vector<const Expr *> &Out) {
  E = E->IgnoreParenImpCasts();
  if (const auto *B = dyn_cast<BinaryOperator>(E); B && B->getOpcode() == BO_LAnd) {
    conjuncts(B->getLHS(), Out);
    conjuncts(B->getRHS(), Out);
    return;
  }
  Out.push_back(E);
}

void kcheck::addGuard(const ActionContext &Ctx, OutputIndex &I, const ValueDecl *Index, const Expr *Atom, const std::string &Text, bool Negated) {
  bool First = I.Guard.empty();
  I.Guard += (First ? "" : " && ") + Text;
  I.Bound.clear();
  I.BoundExpr = nullptr;
  const auto *B = dyn_cast<BinaryOperator>(Atom->IgnoreParenImpCasts());
  if (!First || !B || !refersTo(B->getLHS(), Index) || B->getOpcode() != (Negated ? BO_GE : BO_LT))
    return;
  I.Bound = Ctx.text(B->getRHS()->getSourceRange());
  if (isa<BinaryOperator>(B->getRHS()->IgnoreImpCasts()))
    I.Bound = "(" + I.Bound + ")";
  I.BoundExpr = B->getRHS();
}

std::string kcheck::typeText(const ActionContext &Ctx, QualType T) {
  PrintingPolicy P(Ctx.LO);
  P.SuppressTagKeyword = true;
  P.Bool = true;
  return T.getUnqualifiedType().getAsString(P);
}

std::string kcheck::declarationText(const ActionContext &Ctx, const DeclStmt *S, const VarDecl *V) {
  if (S->isSingleDecl())
    return Ctx.text(static_cast<const Stmt *>(S));
  PrintingPolicy P(Ctx.LO);
  P.SuppressTagKeyword = true;
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  V->getType().print(OS, P, V->getName());
  return Text + (V->getInit() ? " = " + Ctx.text(V->getInit()->getSourceRange()) : "") + ";";
}

std::optional<int64_t> kcheck::coefficient(const ActionContext &Ctx, const Expr *E, const ValueDecl *V) {
  if (!namedIn(E).count(V))
    return 0;
  E = E->IgnoreParenCasts();
  if (refersTo(E, V))
    return 1;
  if (const auto *B = dyn_cast<BinaryOperator>(E)) {
    auto L = coefficient(Ctx, B->getLHS(), V), R = coefficient(Ctx, B->getRHS(), V);
    if (!L || !R)
      return std::nullopt;
    if (B->getOpcode() == BO_Add)
      return *L + *R;
    if (B->getOpcode() == BO_Sub)
      return *L - *R;
    if (B->getOpcode() == BO_Mul) {
      if (auto C = Ctx.constant(B->getRHS()); C && *R == 0)
        return *L * *C;
      if (auto C = Ctx.constant(B->getLHS()); C && *L == 0)
        return *R * *C;
    }
  }
  if (const auto *U = dyn_cast<UnaryOperator>(E); U && U->getOpcode() == UO_Minus)
    if (auto C = coefficient(Ctx, U->getSubExpr(), V))
      return -*C;
  return std::nullopt;
}

/// The variable that a pointer expression starts from.
static const ValueDecl *baseOf(const Expr *E) {
  for (;;) {
    E = E->IgnoreParenImpCasts();
    if (const auto *B = dyn_cast<BinaryOperator>(E); B && B->isAdditiveOp()) {
      E = B->getLHS()->getType()->isPointerType() ? B->getLHS() : B->getRHS();
      continue;
    }
    if (const auto *U = dyn_cast<UnaryOperator>(E); U && U->getOpcode() == UO_AddrOf) {
      const auto *A = dyn_cast<ArraySubscriptExpr>(U->getSubExpr()->IgnoreParens());
      if (!A)
        return nullptr;
      E = A->getBase();
      continue;
    }
    return referredTo(E);
  }
}

/// Fills in where an lvalue stands.
static void placeOfValue(const ActionContext &Ctx, const Expr *Lvalue, LoadParts &L) {
  Lvalue = Lvalue->IgnoreParens();
  if (const auto *A = dyn_cast<ArraySubscriptExpr>(Lvalue)) {
    L.Pointer = A->getBase();
    L.Index = A->getIdx();
    L.Address = "&" + Ctx.text(A->getSourceRange());
  } else if (const auto *U = dyn_cast<UnaryOperator>(Lvalue); U && U->getOpcode() == UO_Deref) {
    L.Pointer = U->getSubExpr();
    L.Address = Ctx.text(U->getSubExpr()->getSourceRange());
    if (const auto *B = dyn_cast<BinaryOperator>(U->getSubExpr()->IgnoreParenImpCasts()); B && B->getOpcode() == BO_Add && B->getLHS()->getType()->isPointerType()) {
      L.Pointer = B->getLHS();
      L.Index = B->getRHS();
    }
  }
  L.Type = Lvalue->getType();
}

std::optional<LoadParts> kcheck::placeOf(const ActionContext &Ctx, const Expr *Address) {
  LoadParts L;
  L.Whole = Address;
  const Expr *A = Address->IgnoreParenImpCasts();
  if (const auto *U = dyn_cast<UnaryOperator>(A); U && U->getOpcode() == UO_AddrOf) {
    placeOfValue(Ctx, U->getSubExpr(), L);
  } else {
    L.Pointer = A;
    L.Type = A->getType()->getPointeeType();
    if (const auto *B = dyn_cast<BinaryOperator>(A); B && B->getOpcode() == BO_Add && B->getLHS()->getType()->isPointerType()) {
      L.Pointer = B->getLHS();
      L.Index = B->getRHS();
    }
  }
  if (!L.Pointer)
    return std::nullopt;
  L.Address = Ctx.text(A->getSourceRange());
  L.Base = baseOf(L.Pointer);
  return L;
}

std::optional<LoadParts> kcheck::loadOf(const ActionContext &Ctx, const Expr *E) {
  if (const auto *Call = dyn_cast<CallExpr>(E); Call && calleeName(Call) == "__ldg" && Call->getNumArgs() == 1) {
    std::optional<LoadParts> L = placeOf(Ctx, Call->getArg(0));
    if (L)
      L->Whole = E;
    return L;
  }
  const auto *C = dyn_cast<ImplicitCastExpr>(E);
  if (!C || C->getCastKind() != CK_LValueToRValue)
    return std::nullopt;
  LoadParts L;
  L.Whole = E;
  placeOfValue(Ctx, C->getSubExpr(), L);
  if (!L.Pointer)
    return std::nullopt;
  L.Base = baseOf(L.Pointer);
  return L;
}

bool kcheck::isCopyable(const ActionContext &Ctx, QualType T) {
  int64_t Bytes = Ctx.AST.getTypeSizeInChars(T).getQuantity();
  return (Bytes == 4 || Bytes == 8 || Bytes == 16) && Ctx.AST.getTypeAlignInChars(T).getQuantity() == Bytes && !T.isVolatileQualified() &&
         T.isTriviallyCopyableType(Ctx.AST);
}
