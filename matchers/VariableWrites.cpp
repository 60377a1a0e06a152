#include "matchers/VariableWrites.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"

using namespace clang;
using namespace kcheck;

const VarDecl *kcheck::namedVariable(const Expr *E) {
  const auto *D = dyn_cast<DeclRefExpr>(E->IgnoreParenImpCasts());
  return D ? dyn_cast<VarDecl>(D->getDecl()) : nullptr;
}

namespace kcheck {

class WriteCollector : public DynamicRecursiveASTVisitor {
public:
  explicit WriteCollector(VariableWrites &Out) : Out(Out) { ShouldVisitTemplateInstantiations = true; }

  bool VisitVarDecl(VarDecl *V) override {
    if (V->getInit() && !isa<ParmVarDecl>(V))
      Out.Writes[V].push_back({VariableWrite::Init, V->getInit(), nullptr});
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator *B) override {
    if (!B->isAssignmentOp())
      return true;
    if (const VarDecl *V = namedVariable(B->getLHS())) {
      bool Plain = B->getOpcode() == BO_Assign;
      Out.Writes[V].push_back({Plain ? VariableWrite::Assign : VariableWrite::Compound, B->getRHS(), B, B->getOpcode()});
    }
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator *U) override {
    const VarDecl *V = namedVariable(U->getSubExpr());
    if (!V)
      return true;
    if (U->isIncrementDecrementOp())
      Out.Writes[V].push_back({VariableWrite::Step, nullptr, U, U->isIncrementOp() ? BO_AddAssign : BO_SubAssign});
    else if (U->getOpcode() == UO_AddrOf)
      Out.Escaped.insert(V);
    return true;
  }
  bool VisitCallExpr(CallExpr *C) override {
    const FunctionDecl *F = C->getDirectCallee();
    unsigned Shift = isa<CXXOperatorCallExpr>(C) && isa_and_nonnull<CXXMethodDecl>(F) ? 1 : 0;
    for (unsigned I = Shift; F && I < C->getNumArgs() && I - Shift < F->getNumParams(); ++I) {
      QualType T = F->getParamDecl(I - Shift)->getType();
      if (T->isReferenceType() && !T.getNonReferenceType().isConstQualified())
        if (const VarDecl *V = namedVariable(C->getArg(I)))
          Out.Escaped.insert(V);
    }
    return true;
  }
  bool VisitLambdaExpr(LambdaExpr *L) override {
    for (const LambdaCapture &C : L->captures())
      if (C.capturesVariable() && C.getCaptureKind() == LCK_ByRef)
        if (const auto *V = dyn_cast<VarDecl>(C.getCapturedVar()); V && !V->getType().isConstQualified())
          Out.Escaped.insert(V);
    return true;
  }

private:
  VariableWrites &Out;
};

class CallCollector : public DynamicRecursiveASTVisitor {
public:
  explicit CallCollector(CallSites &Out) : Out(Out) { ShouldVisitTemplateInstantiations = true; }
  bool TraverseFunctionDecl(FunctionDecl *F) override {
    const FunctionDecl *Before = std::exchange(Caller, F);
    bool R = DynamicRecursiveASTVisitor::TraverseFunctionDecl(F);
    Caller = Before;
    return R;
  }
  bool TraverseCXXMethodDecl(CXXMethodDecl *F) override {
    const FunctionDecl *Before = std::exchange(Caller, F);
    bool R = DynamicRecursiveASTVisitor::TraverseCXXMethodDecl(F);
    Caller = Before;
    return R;
  }
  bool VisitCallExpr(CallExpr *C) override {
    if (const FunctionDecl *F = C->getDirectCallee())
      Out.Sites[F->getCanonicalDecl()].push_back({C, Caller});
    return true;
  }

private:
  CallSites &Out;
  const FunctionDecl *Caller = nullptr;
};

} // namespace kcheck

VariableWrites::VariableWrites(ASTContext &AST) { WriteCollector(*this).TraverseAST(AST); }

llvm::ArrayRef<VariableWrite> VariableWrites::of(const VarDecl *V) const {
  auto It = Writes.find(V);
  return It == Writes.end() ? llvm::ArrayRef<VariableWrite>() : llvm::ArrayRef<VariableWrite>(It->second);
}

const Expr *VariableWrites::onlyValue(const VarDecl *V) const {
  auto W = of(V);
  if (W.size() != 1 || W[0].How > VariableWrite::Assign || isa<ParmVarDecl>(V) || addressTaken(V))
    return nullptr;
  return W[0].Value;
}

const Expr *VariableWrites::resolve(const Expr *E) const {
  for (unsigned Depth = 0; E && Depth < 32; ++Depth) {
    E = E->IgnoreParenCasts();
    if (const auto *C = dyn_cast<CXXConstructExpr>(E); C && C->getNumArgs() == 1 && C->getConstructor()->isCopyOrMoveConstructor()) {
      E = C->getArg(0);
      continue;
    }
    const auto *D = dyn_cast<DeclRefExpr>(E);
    const auto *V = D ? dyn_cast<VarDecl>(D->getDecl()) : nullptr;
    const Expr *Value = V && !V->getType()->isReferenceType() ? onlyValue(V) : nullptr;
    if (!Value)
      return E;
    E = Value;
  }
  return E;
}

CallSites::CallSites(ASTContext &AST) { CallCollector(*this).TraverseAST(AST); }

llvm::ArrayRef<CallSite> CallSites::of(const FunctionDecl *F) const {
  auto It = Sites.find(F->getCanonicalDecl());
  return It == Sites.end() ? llvm::ArrayRef<CallSite>() : llvm::ArrayRef<CallSite>(It->second);
}

const Expr *CallSites::argument(const CallSite &S, const ParmVarDecl *P) {
  unsigned I = P->getFunctionScopeIndex();
  if (isa<CXXOperatorCallExpr>(S.Call))
    ++I;
  return I < S.Call->getNumArgs() ? S.Call->getArg(I) : nullptr;
}
