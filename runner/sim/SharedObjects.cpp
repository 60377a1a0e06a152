// Shared variables whose type has a constructor, such as cuda::barrier: nvcc warns that the constructor does not run, Clang refuses
// them. The link puts this in place of Clang's look at initialisers.
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Sema/SemaCUDA.h"

using namespace clang;

extern "C" {
void __real__ZN5clang8SemaCUDA23checkAllowedInitializerEPNS_7VarDeclE(SemaCUDA *, VarDecl *);

void __wrap__ZN5clang8SemaCUDA23checkAllowedInitializerEPNS_7VarDeclE(SemaCUDA *S, VarDecl *V) {
  auto *E = V->hasInit() ? dyn_cast<CXXConstructExpr>(V->getInit()->IgnoreImplicit()) : nullptr;
  QualType Element = V->getType().isNull() ? QualType() : S->getASTContext().getBaseElementType(V->getType());
  bool ByDefault = E && E->getConstructor()->isDefaultConstructor() && !E->isListInitialization() && Element->getAsCXXRecordDecl();
  if (V->hasAttr<CUDASharedAttr>() && ByDefault)
    return V->setInit(nullptr);
  __real__ZN5clang8SemaCUDA23checkAllowedInitializerEPNS_7VarDeclE(S, V);
}
}
