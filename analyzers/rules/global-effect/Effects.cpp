#include "Effects.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "llvm/ADT/DenseSet.h"
#include "matchers/Vocabulary.h"

using namespace clang;
using namespace kcheck;
using namespace kcheck::effects;

namespace {

Target pointee(const Expr *E, unsigned Depth);

/// The memory that an lvalue names.
Target memoryOf(const Expr *E, unsigned Depth = 0) {
  if (Depth > 12)
    return Target::Open;
  E = E->IgnoreParens();
  if (const auto *C = dyn_cast<CastExpr>(E))
    return memoryOf(C->getSubExpr(), Depth + 1);
  if (E->isPRValue() && E->getType()->isRecordType())
    return Target::Local;
  if (const auto *M = dyn_cast<MaterializeTemporaryExpr>(E))
    return memoryOf(M->getSubExpr(), Depth + 1);
  if (isa<CXXBindTemporaryExpr, CXXTemporaryObjectExpr, CXXConstructExpr, InitListExpr, LambdaExpr>(E))
    return Target::Local;
  if (const auto *D = dyn_cast<DeclRefExpr>(E)) {
    const auto *V = dyn_cast<VarDecl>(D->getDecl());
    if (!V)
      return Target::Open;
    if (V->getType()->isReferenceType())
      return !isa<ParmVarDecl>(V) && V->getInit() ? memoryOf(V->getInit(), Depth + 1) : Target::Open;
    if (isSharedVariable(V))
      return Target::Shared;
    return V->hasGlobalStorage() ? Target::Open : Target::Local;
  }
  if (const auto *M = dyn_cast<MemberExpr>(E)) {
    if (!isa<FieldDecl>(M->getMemberDecl()) || M->getMemberDecl()->getType()->isReferenceType())
      return Target::Open;
    return M->isArrow() ? pointee(M->getBase(), Depth + 1) : memoryOf(M->getBase(), Depth + 1);
  }
  if (const auto *A = dyn_cast<ArraySubscriptExpr>(E))
    return pointee(A->getBase(), Depth + 1);
  if (const auto *U = dyn_cast<UnaryOperator>(E)) {
    if (U->getOpcode() == UO_Deref)
      return pointee(U->getSubExpr(), Depth + 1);
    if (U->isIncrementDecrementOp() || U->getOpcode() == UO_Real || U->getOpcode() == UO_Imag)
      return memoryOf(U->getSubExpr(), Depth + 1);
  }
  if (const auto *B = dyn_cast<BinaryOperator>(E)) {
    if (B->isAssignmentOp())
      return memoryOf(B->getLHS(), Depth + 1);
    if (B->isCommaOp())
      return memoryOf(B->getRHS(), Depth + 1);
  }
  if (const auto *C = dyn_cast<ConditionalOperator>(E)) {
    Target A = memoryOf(C->getTrueExpr(), Depth + 1), B = memoryOf(C->getFalseExpr(), Depth + 1);
    return std::max(A, B);
  }
  return Target::Open;
}

/// The memory that a pointer points into.
Target pointee(const Expr *E, unsigned Depth) {
  if (Depth > 12)
    return Target::Open;
  E = E->IgnoreParens();
  if (const auto *C = dyn_cast<CastExpr>(E)) {
    if (C->getCastKind() == CK_ArrayToPointerDecay)
      return memoryOf(C->getSubExpr(), Depth + 1);
    if (C->getCastKind() == CK_LValueToRValue || C->getSubExpr()->getType()->isPointerType() ||
        C->getSubExpr()->getType()->isArrayType())
      return pointee(C->getSubExpr(), Depth + 1);
    return Target::Open;
  }
  if (E->getType()->isArrayType())
    return memoryOf(E, Depth + 1);
  if (const auto *U = dyn_cast<UnaryOperator>(E)) {
    if (U->getOpcode() == UO_AddrOf)
      return memoryOf(U->getSubExpr(), Depth + 1);
    return Target::Open;
  }
  if (const auto *B = dyn_cast<BinaryOperator>(E)) {
    if (B->isAdditiveOp())
      return pointee(B->getLHS()->getType()->isIntegerType() ? B->getRHS() : B->getLHS(), Depth + 1);
    return Target::Open;
  }
  if (const auto *D = dyn_cast<DeclRefExpr>(E)) // one that never changes is what it was made from
    if (const auto *V = dyn_cast<VarDecl>(D->getDecl());
        V && !isa<ParmVarDecl>(V) && V->isLocalVarDecl() && V->getType().isConstQualified() && V->getInit())
      return pointee(V->getInit(), Depth + 1);
  return Target::Open;
}

bool isGroupType(const CXXRecordDecl *R) {
  for (const DeclContext *D = R; D; D = D->getParent())
    if (const auto *N = dyn_cast<NamespaceDecl>(D); N && N->getIdentifier() && N->getName() == "cooperative_groups")
      return true;
  return false;
}

/// True when an object of the type may lead to memory: pointers, references, closures over them.
bool holdsPointers(QualType T, unsigned Depth = 0) {
  T = T.getCanonicalType();
  if (T->isAnyPointerType() || T->isReferenceType() || T->isMemberPointerType() || T->isDependentType() || Depth > 6)
    return true;
  if (const Type *E = T->getBaseElementTypeUnsafe(); E != T.getTypePtr() && T->isArrayType())
    return holdsPointers(QualType(E, 0), Depth + 1);
  const CXXRecordDecl *R = T->getAsCXXRecordDecl();
  if (!R)
    return false;
  if (isGroupType(R))
    return false;
  if (R->getIdentifier() && R->getName() == "fragment") // of nvcuda::wmma: registers
    return false;
  if (!R->hasDefinition())
    return true;
  for (const FieldDecl *F : R->fields())
    if (holdsPointers(F->getType(), Depth + 1))
      return true;
  for (const CXXBaseSpecifier &B : R->getDefinition()->bases())
    if (holdsPointers(B.getType(), Depth + 1))
      return true;
  return false;
}

class Walker : public RecursiveASTVisitor<Walker> {
public:
  Walker(Effects &Out, ASTContext &Ctx) : Out(Out), Ctx(Ctx) {}
  bool shouldVisitImplicitCode() const { return true; }
  bool shouldVisitTemplateInstantiations() const { return false; }

  void function(const FunctionDecl *F) {
    const FunctionDecl *Def = nullptr;
    if (!F->getBody(Def) || !Seen.insert(Def).second)
      return;
    if (Seen.size() > 400 || Def->isInvalidDecl())
      return opaque(Def->getBody());
    const FunctionDecl *Outer = Current;
    Current = Def;
    if (const auto *C = dyn_cast<CXXConstructorDecl>(Def))
      for (const CXXCtorInitializer *I : C->inits())
        TraverseStmt(I->getInit());
    TraverseStmt(Def->getBody());
    Current = Outer;
  }

  bool TraverseForStmt(ForStmt *S) {
    ++InHead;
    TraverseStmt(S->getInit());
    TraverseStmt(S->getCond());
    TraverseStmt(S->getInc());
    --InHead;
    return TraverseStmt(S->getBody());
  }
  // a lambda's body counts where it is called
  bool TraverseLambdaExpr(LambdaExpr *L) {
    for (Expr *I : L->capture_inits())
      if (I)
        TraverseStmt(I);
    return true;
  }
  // operands that are not evaluated
  bool TraverseUnaryExprOrTypeTraitExpr(UnaryExprOrTypeTraitExpr *) { return true; }
  bool TraverseDecltypeTypeLoc(DecltypeTypeLoc, bool = true) { return true; }
  bool TraverseIfStmt(IfStmt *S) {
    if (S->isConstexpr() && !S->getCond()->isValueDependent()) {
      if (auto Taken = S->getNondiscardedCase(Ctx))
        return *Taken ? TraverseStmt(*Taken) : true;
    }
    return RecursiveASTVisitor::TraverseIfStmt(S);
  }

  bool VisitBinaryOperator(BinaryOperator *B) {
    if (B->isAssignmentOp())
      write(B->getLHS(), B);
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator *U) {
    if (U->isIncrementDecrementOp())
      write(U->getSubExpr(), U);
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *D) {
    if (isa<ParmVarDecl>(D->getDecl()))
      Out.UsesParameters = true;
    if (const auto *V = dyn_cast<VarDecl>(D->getDecl()); V && isDeviceVariable(V))
      Out.UsesParameters = true;
    return true;
  }
  bool VisitGCCAsmStmt(GCCAsmStmt *S) {
    // reading a special register is no effect; anything else may be
    for (unsigned I = 0; I < S->getNumOutputs(); ++I)
      write(S->getOutputExpr(I), S);
    if (S->getNumInputs() || (S->isVolatile() && S->getAsmString().find("st.") != std::string::npos))
      opaque(S);
    return true;
  }
  bool VisitMSAsmStmt(MSAsmStmt *S) { return opaque(S), true; }
  bool VisitRecoveryExpr(RecoveryExpr *E) { return opaque(E), true; }
  bool VisitCXXNewExpr(CXXNewExpr *E) { return opaque(E), true; }
  bool VisitCXXDeleteExpr(CXXDeleteExpr *E) { return opaque(E), true; }
  bool VisitAtomicExpr(AtomicExpr *E) { return write(E, E, pointee(E->getPtr(), 0)), true; }
  bool VisitVarDecl(VarDecl *V) {
    if (const CXXRecordDecl *R = V->getType()->getAsCXXRecordDecl(); R && R->hasDefinition() && !R->hasTrivialDestructor())
      if (const CXXDestructorDecl *D = R->getDestructor())
        call(D, nullptr);
    return true;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr *E) {
    const CXXConstructorDecl *C = E->getConstructor();
    if (C->isImplicit() || C->isDefaulted())
      return true;
    std::vector<const Expr *> Args(E->arg_begin(), E->arg_end());
    invoked(C, Args, E, nullptr);
    return true;
  }
  bool VisitCXXUnresolvedConstructExpr(CXXUnresolvedConstructExpr *E) {
    for (const Expr *A : E->arguments())
      if (A->isTypeDependent() || holdsPointers(A->getType()))
        opaque(E);
    return true;
  }
  bool VisitCallExpr(CallExpr *C) {
    if (isa<CUDAKernelCallExpr>(C))
      return opaque(C), true;
    CallKind K = callKind(C);
    switch (K) {
    case CallKind::Atomic:
      if (C->getNumArgs())
        write(C, C, pointee(C->getArg(0), 0));
      return true;
    case CallKind::BlockBarrier: case CallKind::BlockBarrierVote: case CallKind::WarpBarrier:
    case CallKind::GridBarrier: case CallKind::TileBarrier: case CallKind::Shuffle: case CallKind::LegacyShuffle:
    case CallKind::Vote: case CallKind::LegacyVote: case CallKind::ActiveMask: case CallKind::Fence:
    case CallKind::AsyncWait: case CallKind::Trap:
      return true;
    case CallKind::Printf: case CallKind::Assert: case CallKind::DeviceMalloc:
      return opaque(C), true;
    case CallKind::AsyncCopy: case CallKind::Other:
      break;
    }
    const FunctionDecl *F = C->getDirectCallee();
    if (!F)
      return opaque(C), true;
    std::vector<const Expr *> Args(C->arg_begin(), C->arg_end());
    const Expr *This = nullptr;
    if (const auto *M = dyn_cast<CXXMemberCallExpr>(C))
      This = M->getImplicitObjectArgument();
    if (const auto *O = dyn_cast<CXXOperatorCallExpr>(C)) {
      if (O->isAssignmentOp() || O->getOperator() == OO_PlusPlus || O->getOperator() == OO_MinusMinus)
        write(O->getArg(0), O);
      if (const auto *M = dyn_cast<CXXMethodDecl>(F); M && M->isImplicitObjectMemberFunction()) {
        This = Args.front();
        Args.erase(Args.begin());
        if ((O->isAssignmentOp() && (M->isImplicit() || M->isDefaulted())))
          return true;
      }
    }
    invoked(F, Args, C, This);
    return true;
  }

private:
  void opaque(const Stmt *S) {
    if (!Out.Opaque)
      Out.Opaque = S;
  }
  void write(const Expr *To, const Stmt *At) { write(To, At, To->isTypeDependent() ? Target::Open : memoryOf(To)); }
  void write(const Expr *To, const Stmt *At, Target T) {
    Site S{At, Current, T, false, InHead > 0};
    if (const auto *D = dyn_cast<DeclRefExpr>(wholeOf(To)))
      if (const auto *P = dyn_cast<ParmVarDecl>(D->getDecl()))
        S.Parameter = !P->getType()->isReferenceType() && !isKernel(Current);
    Out.Sites.push_back(S);
  }
  /// The object of which E is a part in place: `record` of `record.value[2]`.
  static const Expr *wholeOf(const Expr *E) {
    for (;;) {
      E = E->IgnoreParenImpCasts();
      const auto *M = dyn_cast<MemberExpr>(E);
      const auto *S = dyn_cast<ArraySubscriptExpr>(E);
      if (M && !M->isArrow())
        E = M->getBase();
      else if (S && S->getBase()->IgnoreParenImpCasts()->getType()->isArrayType())
        E = S->getBase();
      else
        return E;
    }
  }
  void call(const FunctionDecl *F, const CallExpr *At) {
    if (F->hasBody())
      function(F);
    else if (const FunctionDecl *P = F->getTemplateInstantiationPattern(); P && P->hasBody())
      opaque(At);
  }
  /// A call: into its body where that is the user's own, else by what its arguments lead to.
  void invoked(const FunctionDecl *F, llvm::ArrayRef<const Expr *> Args, const Expr *At, const Expr *This) {
    const SourceManager &SM = Ctx.getSourceManager();
    bool System = F->getBuiltinID() || SM.isInSystemHeader(SM.getExpansionLoc(F->getLocation()));
    const auto *M = dyn_cast<CXXMethodDecl>(F);
    if (M && M->isVirtual())
      return opaque(At);
    if (!System && F->hasBody())
      return function(F);
    if (!System && (F->isImplicit() || F->isDefaulted()))
      return;
    llvm::StringRef Name = F->getIdentifier() ? F->getName() : "";
    if ((Name.starts_with("surf") && Name.contains("write")) || Name.starts_with("cuda"))
      return opaque(At);
    if (!System) { // declared only
      if (!Out.Unseen)
        Out.Unseen = dyn_cast<CallExpr>(At);
      if (!Out.Unseen)
        opaque(At);
      return;
    }
    if (M && isGroupType(M->getParent()))
      return;
    if (This && !M->isConst()) {
      Target T = This->getType()->isPointerType() ? pointee(This, 0) : memoryOf(This);
      if (T == Target::Open)
        write(This, At, T);
    }
    if (This && holdsPointers(This->getType()->isPointerType() ? This->getType()->getPointeeType() : This->getType()))
      return opaque(At);
    for (unsigned I = 0; I < Args.size(); ++I) {
      const Expr *A = Args[I];
      QualType P = I < F->getNumParams() ? F->getParamDecl(I)->getType() : A->getType();
      if (isa<CXXDefaultArgExpr>(A))
        continue;
      if (P->isPointerType() || P->isArrayType()) {
        if (!P->getPointeeOrArrayElementType()->isFunctionType() && !P->getPointeeType().isConstQualified())
          write(A, At, pointee(A, 0));
      } else if (P->isReferenceType() && !P.getNonReferenceType().isConstQualified()) {
        if (holdsPointers(P.getNonReferenceType()))
          return opaque(At);
        write(A, At, memoryOf(A));
      } else if (holdsPointers(P.getNonReferenceType()))
        return opaque(At);
    }
  }

  Effects &Out;
  ASTContext &Ctx;
  llvm::DenseSet<const FunctionDecl *> Seen;
  const FunctionDecl *Current = nullptr;
  unsigned InHead = 0;
};

} // namespace

Effects kcheck::effects::effectsOf(const FunctionDecl *Kernel, ASTContext &Ctx) {
  Effects Out;
  Walker(Out, Ctx).function(Kernel);
  return Out;
}
