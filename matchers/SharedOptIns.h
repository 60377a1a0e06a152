//===- SharedOptIns.h - kernels whose limit of shared memory is raised -------------===//
#ifndef KCHECK_MATCHERS_SHAREDOPTINS_H
#define KCHECK_MATCHERS_SHAREDOPTINS_H

#include "clang/AST/ASTContext.h"
#include "llvm/ADT/DenseSet.h"

namespace kcheck {

/// Kernels that are handed to something which may raise their limit of dynamic shared memory.
class SharedOptIns {
public:
  explicit SharedOptIns(clang::ASTContext &Ctx);
  bool mayBeRaised(const clang::FunctionDecl *Kernel) const;

private:
  bool Any = false;
  llvm::DenseSet<const clang::FunctionDecl *> Raised;
};

} // namespace kcheck
#endif
