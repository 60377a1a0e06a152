#include "actions/engine/AlongX.h"

using namespace clang;
using namespace kcheck;

bool AlongX::same(const Expr *E) {
  if (!Ctx.isPure(E, true))
    return false;
  bool Yes = true;
  forEachStmt(E, [&](const Stmt *S) {
    const auto *X = dyn_cast<Expr>(S);
    if (!Yes || !X)
      return;
    if (auto B = builtinUse(X))
      Yes = B->Axis != 0 || B->Which == IndexVar::BlockDim || B->Which == IndexVar::WarpSize;
    else if (const auto *D = dyn_cast<DeclRefExpr>(X))
      if (const auto *V = dyn_cast<VarDecl>(D->getDecl()))
        Yes = same(V);
  });
  return Yes;
}

bool AlongX::same(const VarDecl *V) {
  if (V->hasGlobalStorage() && !isSharedVariable(V))
    return true;
  auto [It, New] = Known.try_emplace(V, true); // while it is looked at, it holds what others give it
  if (!New)
    return It->second;
  bool Yes = !isSharedVariable(V) && !Writes.addressTaken(V);
  for (const VariableWrite &W : Writes.of(V))
    Yes = Yes && (!W.Value || same(W.Value));
  return Known[V] = Yes;
}

bool AlongX::same(const Stmt *S) {
  if (const auto *D = dyn_cast<DeclStmt>(S))
    return llvm::all_of(D->decls(), [&](const Decl *X) {
      const auto *V = dyn_cast<VarDecl>(X);
      return !V || (!isSharedVariable(V) && !V->isStaticLocal() && same(V));
    });
  if (const auto *I = dyn_cast<IfStmt>(S))
    return !I->getInit() && !I->getConditionVariable() && same(I->getCond()) && same(I->getThen()) && (!I->getElse() || same(I->getElse()));
  if (const auto *C = dyn_cast<CompoundStmt>(S))
    return llvm::all_of(C->body(), [&](const Stmt *X) { return same(X); });
  if (const auto *A = dyn_cast<AttributedStmt>(S))
    return same(A->getSubStmt());
  if (const auto *F = dyn_cast<ForStmt>(S))
    return F->getInit() && isa<DeclStmt>(F->getInit()) && same(F->getInit()) && F->getCond() && same(F->getCond()) && F->getInc() && same(static_cast<const Stmt *>(F->getInc())) &&
           same(F->getBody());
  if (const auto *R = dyn_cast<ReturnStmt>(S))
    return !R->getRetValue();
  if (isa<NullStmt>(S))
    return true;
  const auto *E = dyn_cast<Expr>(S);
  if (!E)
    return false;
  E = E->IgnoreParenImpCasts();
  if (const auto *U = dyn_cast<UnaryOperator>(E); U && U->isIncrementDecrementOp())
    return changedVariable(U->getSubExpr()) != nullptr;
  if (const auto *B = dyn_cast<BinaryOperator>(E); B && B->isAssignmentOp()) {
    const VarDecl *V = changedVariable(B->getLHS());
    return V && V->isLocalVarDeclOrParm() && !isSharedVariable(V) && same(B->getRHS()) && same(V);
  }
  return Ctx.isPure(E, true) && same(E);
}

void kcheck::addends(const Expr *E, std::vector<const Expr *> &Out) {
  const Expr *X = E->IgnoreParens();
  while (const auto *C = dyn_cast<CastExpr>(X)) {
    if (!C->getType()->isIntegerType() || !C->getSubExpr()->getType()->isIntegerType())
      break;
    X = C->getSubExpr()->IgnoreParens();
  }
  if (const auto *B = dyn_cast<BinaryOperator>(X); B && B->getOpcode() == BO_Add && B->getType()->isIntegerType()) {
    addends(B->getLHS(), Out);
    addends(B->getRHS(), Out);
    return;
  }
  Out.push_back(X);
}

std::optional<GlobalIndex> kcheck::globalIndex(ActionContext &Ctx, AlongX &X, const Expr *E) {
  auto &Writes = Ctx.get<VariableWrites>();
  std::vector<const Expr *> Terms;
  addends(E, Terms);
  GlobalIndex G;
  unsigned Threads = 0, Blocks = 0;
  for (size_t I = 0; I < Terms.size(); ++I) {
    const Expr *T = Terms[I];
    if (X.same(T)) {
      G.Offsets.push_back(T);
      continue;
    }
    if (const Expr *Value = isa<DeclRefExpr>(T) ? Writes.resolve(T) : nullptr; Value && Value != T && Value->getType()->isIntegerType() && Terms.size() < 16) {
      addends(Value, Terms);
      continue;
    }
    if (auto B = builtinUse(T); B && B->Which == IndexVar::ThreadIdx && B->Axis == 0) {
      ++Threads;
      continue;
    }
    const auto *P = dyn_cast<BinaryOperator>(T);
    if (!P || P->getOpcode() != BO_Mul)
      return std::nullopt;
    const unsigned Before = Blocks;
    for (auto [Block, Span] : {std::pair{P->getLHS(), P->getRHS()}, std::pair{P->getRHS(), P->getLHS()}}) {
      const Expr *R = Writes.resolve(Block);
      auto B = R ? builtinUse(R) : std::nullopt;
      if (!B || B->Which != IndexVar::BlockIdx || B->Axis != 0 || !Span->getType()->isIntegerType() || !X.same(Span))
        continue;
      ++Blocks;
      auto D = builtinUse(Span->IgnoreParenCasts());
      if (!D || D->Which != IndexVar::BlockDim || D->Axis != 0)
        G.Span = Span;
      break;
    }
    if (Blocks == Before)
      return std::nullopt;
  }
  return Threads == 1 && Blocks == 1 ? std::optional(G) : std::nullopt;
}

const VarDecl *kcheck::changedVariable(const Expr *To) {
  for (;;) {
    To = To->IgnoreParenImpCasts();
    if (const auto *M = dyn_cast<MemberExpr>(To); M && !M->isArrow())
      To = M->getBase();
    else if (const auto *A = dyn_cast<ArraySubscriptExpr>(To); A && A->getBase()->IgnoreParenImpCasts()->getType()->isArrayType())
      To = A->getBase();
    else
      break;
  }
  const auto *D = dyn_cast<DeclRefExpr>(To);
  return D ? dyn_cast<VarDecl>(D->getDecl()) : nullptr;
}

void kcheck::forEachChange(const Stmt *S, llvm::function_ref<void(const VarDecl *)> F) {
  auto Tell = [&](const Expr *To) {
    if (const VarDecl *V = changedVariable(To))
      F(V);
  };
  if (const auto *B = dyn_cast<BinaryOperator>(S); B && B->isAssignmentOp())
    Tell(B->getLHS());
  if (const auto *U = dyn_cast<UnaryOperator>(S); U && (U->isIncrementDecrementOp() || U->getOpcode() == UO_AddrOf))
    Tell(U->getSubExpr());
  if (const auto *C = dyn_cast<CXXMemberCallExpr>(S))
    if (const CXXMethodDecl *M = C->getMethodDecl(); M && !M->isConst())
      Tell(C->getImplicitObjectArgument());
  if (const auto *C = dyn_cast<CallExpr>(S)) {
    const FunctionDecl *D = C->getDirectCallee();
    unsigned Shift = isa<CXXOperatorCallExpr>(C) && isa_and_nonnull<CXXMethodDecl>(D) ? 1 : 0;
    if (Shift && !cast<CXXMethodDecl>(D)->isConst())
      Tell(C->getArg(0));
    for (unsigned I = Shift; D && I < C->getNumArgs() && I - Shift < D->getNumParams(); ++I) {
      QualType T = D->getParamDecl(I - Shift)->getType();
      if (T->isReferenceType() && !T.getNonReferenceType().isConstQualified())
        Tell(C->getArg(I));
      // an array's elements
      if (const Expr *A = C->getArg(I)->IgnoreParenImpCasts(); T->isPointerType() && !T->getPointeeType().isConstQualified() && A->getType()->isArrayType())
        Tell(A);
    }
  }
  if (const auto *L = dyn_cast<LambdaExpr>(S))
    for (const LambdaCapture &C : L->captures())
      if (C.capturesVariable() && C.getCaptureKind() == LCK_ByRef)
        if (const auto *V = dyn_cast<VarDecl>(C.getCapturedVar()))
          F(V);
  if (const auto *D = dyn_cast<DeclStmt>(S)) // references and pointers into it
    for (const Decl *X : D->decls())
      if (const auto *V = dyn_cast<VarDecl>(X); V && V->getInit()) {
        if (V->getType()->isReferenceType() && !V->getType().getNonReferenceType().isConstQualified())
          Tell(V->getInit());
        if (const Expr *I = V->getInit()->IgnoreParenImpCasts(); V->getType()->isPointerType() && I->getType()->isArrayType())
          Tell(I);
      }
}
