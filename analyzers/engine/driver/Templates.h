//===- Templates.h - launchers that are templates and that nobody calls --------===//
//
//   template <class T> void scale(const T *x, T *y, int n) { scaleKernel<T><<<(n + 255) / 256, 256>>>(x, y, n); }
//
// A file that only defines such a launcher shows no launch. Here it is instantiated with arguments of our own choice, so that
// the rules see what it launches; a template that does not take them is left as it was.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_ENGINE_DRIVER_TEMPLATES_H
#define KCHECK_ENGINE_DRIVER_TEMPLATES_H

#include "clang/AST/Decl.h"

namespace clang {
class Sema;
}

namespace kcheck {

/// Instantiates templates of host functions that launch kernels, or call one that does, and have no instantiation yet.
/// To be called at the end of the file. Made is to be given every function that Sema instantiates meanwhile.
class LauncherTemplates {
public:
  explicit LauncherTemplates(clang::Sema &S) : S(S) {}
  void instantiate(llvm::ArrayRef<clang::Decl *> Scope);
  /// What ASTConsumer::HandleCXXImplicitFunctionInstantiation tells.
  void made(clang::FunctionDecl *F) { Made.push_back(F); }

private:
  clang::FunctionDecl *instance(clang::FunctionTemplateDecl *T, clang::QualType Scalar);

  clang::Sema &S;
  std::vector<clang::FunctionDecl *> Made;
};

} // namespace kcheck
#endif
