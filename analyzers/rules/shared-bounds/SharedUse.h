//===- SharedUse.h - the shared arrays of a kernel ------------------------------===//
#ifndef KCHECK_RULES_SHAREDBOUNDS_SHAREDUSE_H
#define KCHECK_RULES_SHAREDBOUNDS_SHAREDUSE_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include <vector>

namespace kcheck::shared {

inline constexpr int64_t DefaultLimit = 48 * 1024;
/// The most that any architecture so far gives to one block after an opt-in (sm_90, sm_100).
inline constexpr int64_t OptInLimit = 227 * 1024;

/// Shared variables that a kernel, or what it calls, names.
struct SharedUse {
  std::vector<const clang::VarDecl *> Static, Dynamic; ///< in order of first use
  int64_t StaticBytes = 0;
  bool Known = true; ///< every static size is known
};
SharedUse sharedUse(const clang::FunctionDecl *Kernel, clang::ASTContext &Ctx);

} // namespace kcheck::shared
#endif
