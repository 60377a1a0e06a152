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

/// C++ that defines kcheck_call(void **), which calls F with what the pointers point to. Empty: F is not to be called from there.
std::string callTextOf(const clang::FunctionDecl *F);

/// A parameter each: the launcher copies from or to it as host memory. Touched: or reads or writes it itself, which is a fault where
/// somebody has said that it is memory of the device.
std::vector<bool> hostMemoryOf(const clang::FunctionDecl *F, bool Touched);

/// A host variable of the file that F, or what it calls, only reads, and that other functions or files give its value: F alone is
/// called too early. Empty: there is none.
std::string hostStateOf(const clang::FunctionDecl *F, llvm::ArrayRef<clang::Decl *> Own);

/// "line 12: write": streams of its own, calls of the system, definitions that hide the runtime's. Empty: nothing of that kind.
std::string hostConcern(clang::ASTContext &Ctx, llvm::ArrayRef<clang::Decl *> Own);

} // namespace kcheck::gate
#endif
