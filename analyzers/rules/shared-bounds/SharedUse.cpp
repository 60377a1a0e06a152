#include "SharedUse.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "matchers/Vocabulary.h"

using namespace clang;
using namespace kcheck;
using namespace kcheck::shared;

namespace {

class UseVisitor : public RecursiveASTVisitor<UseVisitor> {
public:
  UseVisitor(SharedUse &Out, ASTContext &Ctx) : Out(Out), Ctx(Ctx) {}
  bool shouldVisitImplicitCode() const { return true; }

  void function(const FunctionDecl *F) {
    const FunctionDecl *Def = nullptr;
    if (!F || !F->getBody(Def) || Seen.size() > 300 || !Seen.insert(Def).second)
      return;
    const SourceManager &SM = Ctx.getSourceManager();
    if (SM.isInSystemHeader(SM.getExpansionLoc(Def->getLocation())))
      return;
    TraverseStmt(Def->getBody());
  }
  bool TraverseUnaryExprOrTypeTraitExpr(UnaryExprOrTypeTraitExpr *) { return true; }
  bool TraverseIfStmt(IfStmt *S) {
    if (S->isConstexpr() && !S->getCond()->isValueDependent())
      if (auto Taken = S->getNondiscardedCase(Ctx))
        return *Taken ? TraverseStmt(*Taken) : true;
    return RecursiveASTVisitor::TraverseIfStmt(S);
  }
  bool VisitDeclRefExpr(DeclRefExpr *E) {
    const auto *V = dyn_cast<VarDecl>(E->getDecl());
    if (!V || !isSharedVariable(V))
      return true;
    V = V->getCanonicalDecl();
    auto &List = isDynamicShared(V) ? Out.Dynamic : Out.Static;
    if (llvm::is_contained(List, V))
      return true;
    List.push_back(V);
    if (&List == &Out.Static) {
      QualType T = V->getType();
      if (T->isDependentType() || T->isIncompleteType())
        Out.Known = false;
      else {
        int64_t Align = Ctx.getDeclAlign(V).getQuantity();
        Out.StaticBytes = (Out.StaticBytes + Align - 1) / Align * Align + Ctx.getTypeSizeInChars(T).getQuantity();
      }
    }
    return true;
  }
  bool VisitCallExpr(CallExpr *C) {
    function(C->getDirectCallee());
    return true;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr *E) {
    function(E->getConstructor());
    return true;
  }

private:
  SharedUse &Out;
  ASTContext &Ctx;
  llvm::DenseSet<const FunctionDecl *> Seen;
};

const FunctionDecl *root(const FunctionDecl *F) {
  if (const FunctionDecl *P = F->getTemplateInstantiationPattern())
    F = P;
  return F->getCanonicalDecl();
}

/// Calls that take a kernel without changing it.
bool leavesKernelAlone(llvm::StringRef Name) {
  return Name.starts_with("cudaLaunch") || Name.starts_with("cudaOccupancy") || Name == "cudaFuncGetAttributes" ||
         Name == "cudaFuncSetCacheConfig" || Name == "cudaFuncSetSharedMemConfig" || Name == "cudaGetFuncBySymbol";
}

class OptInVisitor : public RecursiveASTVisitor<OptInVisitor> {
public:
  OptInVisitor(bool &Any, llvm::DenseSet<const FunctionDecl *> &Raised) : Any(Any), Raised(Raised) {}
  bool shouldVisitTemplateInstantiations() const { return true; }

  bool VisitCallExpr(CallExpr *C) {
    std::string Name = calleeName(C);
    if (isa<CUDAKernelCallExpr>(C) || leavesKernelAlone(Name))
      return true;
    bool Setter = Name == "cudaFuncSetAttribute" || Name == "cuFuncSetAttribute";
    bool Named = false;
    for (unsigned I = 0; I < C->getNumArgs() && (!Setter || I < 1); ++I)
      Named |= kernelsIn(C->getArg(I));
    if (Setter && !Named)
      Any = true;
    return true;
  }

private:
  bool kernelsIn(const Stmt *S) {
    if (!S)
      return false;
    bool Found = false;
    if (const auto *D = dyn_cast<DeclRefExpr>(S))
      if (const auto *F = dyn_cast<FunctionDecl>(D->getDecl()); F && isKernel(F)) {
        Raised.insert(F->getCanonicalDecl());
        Found = true;
      }
    if (const auto *O = dyn_cast<OverloadExpr>(S))
      for (const NamedDecl *D : O->decls())
        if (const auto *T = dyn_cast<FunctionTemplateDecl>(D->getUnderlyingDecl())) {
          Raised.insert(T->getTemplatedDecl()->getCanonicalDecl());
          Found = true;
        }
    for (const Stmt *Child : S->children())
      if (!isa_and_nonnull<LambdaExpr>(Child))
        Found |= kernelsIn(Child);
    return Found;
  }
  bool &Any;
  llvm::DenseSet<const FunctionDecl *> &Raised;
};

} // namespace

SharedUse kcheck::shared::sharedUse(const FunctionDecl *Kernel, ASTContext &Ctx) {
  SharedUse Out;
  UseVisitor(Out, Ctx).function(Kernel);
  return Out;
}

OptIns::OptIns(ASTContext &Ctx) {
  OptInVisitor V(Any, Raised);
  for (Decl *D : Ctx.getTraversalScope())
    V.TraverseDecl(D);
}

bool OptIns::mayBeRaised(const FunctionDecl *K) const {
  return Any || Raised.count(K->getCanonicalDecl()) || Raised.count(root(K));
}
