//===- Extension.h - functions of PyTorch extensions that launch kernels --------------===//
//
// A host function with tensors among its parameters is called itself: the text that does so finds arguments that the function's
// own checks accept (analyzers/engine/headers/torch/kcheck_torch_search.h).
//
//===----------------------------------------------------------------------------------===//
#ifndef KCHECK_GATE_PLAN_EXTENSION_H
#define KCHECK_GATE_PLAN_EXTENSION_H

#include "gate/plan/Launchers.h"
#include "clang/AST/Decl.h"
#include "llvm/ADT/ArrayRef.h"

namespace kcheck::gate {

/// The outermost functions of Own that take tensors and launch, themselves or by calls.
std::vector<ExtensionCall> extensionCalls(clang::ASTContext &Ctx, llvm::ArrayRef<clang::Decl *> Own);

} // namespace kcheck::gate
#endif
