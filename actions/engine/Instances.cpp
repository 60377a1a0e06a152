#include "actions/engine/Instances.h"

using namespace clang;
using namespace kcheck;

void kcheck::visitInstancesOnce(ASTContext &AST) {
  std::vector<Decl *> Scope = AST.getTraversalScope();
  llvm::erase_if(Scope, [](const Decl *D) {
    const auto *F = dyn_cast<FunctionDecl>(D);
    return F && isTemplateInstantiation(F->getTemplateSpecializationKind());
  });
  AST.setTraversalScope(Scope);
}

std::string kcheck::whyNotOneInstance(const KernelView &K) {
  if (!K.Template)
    return {};
  if (K.Instances == 0)
    return "the kernel is a template that this file does not instantiate";
  if (K.Instances > 1)
    return "the kernel is a template with " + std::to_string(K.Instances) + " instantiations: what holds for one may not hold for the others";
  for (const LaunchSite &L : K.Launches)
    if (L.In && (L.In->isDependentContext() || L.In->isTemplateInstantiation()))
      return "the kernel is a template that another template launches";
  return {};
}
