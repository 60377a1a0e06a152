//===- HostCode.h - what the candidate's own host code is run for --------------------===//
//
// Launcher mode calls the launcher itself. The text that does so is written here, and here it is seen which parameters the
// launcher takes for host memory, and what in the file can only be judged by running it.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_GATE_PLAN_HOSTCODE_H
#define KCHECK_GATE_PLAN_HOSTCODE_H

#include "clang/AST/Decl.h"
#include "llvm/ADT/ArrayRef.h"
#include <string>
#include <vector>

namespace kcheck::gate {

/// C++ that defines kcheck_call(void **), which calls F with what the pointers point to.
std::string callTextOf(const clang::FunctionDecl *F);

/// A parameter each: the launcher copies from or to it as host memory.
std::vector<bool> hostMemoryOf(const clang::FunctionDecl *F);

/// "line 12: write": streams of its own, calls of the system, definitions that hide the runtime's. Empty: nothing of that kind.
std::string hostConcern(clang::ASTContext &Ctx, llvm::ArrayRef<clang::Decl *> Own);

} // namespace kcheck::gate
#endif
