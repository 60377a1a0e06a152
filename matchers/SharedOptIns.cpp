#include "matchers/SharedOptIns.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecursiveASTVisitor.h"
#include "matchers/Vocabulary.h"

using namespace clang;
using namespace kcheck;

namespace {

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

SharedOptIns::SharedOptIns(ASTContext &Ctx) {
  OptInVisitor V(Any, Raised);
  for (Decl *D : Ctx.getTraversalScope())
    V.TraverseDecl(D);
}

bool SharedOptIns::mayBeRaised(const FunctionDecl *K) const {
  return Any || Raised.count(K->getCanonicalDecl()) || Raised.count(root(K));
}
