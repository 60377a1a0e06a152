//===- Effects.h - what a kernel writes, by its text ---------------------------===//
//
// Walks a kernel and every function that it calls and lists the places that write something: to its own
// locals, to shared memory, or to memory that it cannot tell (which may be global).
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_RULES_GLOBALEFFECT_EFFECTS_H
#define KCHECK_RULES_GLOBALEFFECT_EFFECTS_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include <vector>

namespace kcheck::effects {

enum class Target : unsigned char { Local, Shared, Open };

/// One place that writes. Open: the memory may be global.
struct Site {
  const clang::Stmt *At = nullptr;
  const clang::FunctionDecl *In = nullptr;
  Target To = Target::Open;
  bool Parameter = false; ///< a helper changes its own by-value parameter
  bool LoopStep = false;  ///< in the head of a for statement
};

struct Effects {
  std::vector<Site> Sites;
  /// Code that may do anything: assembly, indirect calls, printf, surface stores, code with errors.
  const clang::Stmt *Opaque = nullptr;
  /// A function without a body that is handed memory or data of the kernel.
  const clang::CallExpr *Unseen = nullptr;
  bool UsesParameters = false;
};

Effects effectsOf(const clang::FunctionDecl *Kernel, clang::ASTContext &Ctx);

} // namespace kcheck::effects
#endif
