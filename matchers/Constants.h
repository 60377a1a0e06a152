//===- Constants.h - numbers that the compiler knows -----------------------------===//
#ifndef KCHECK_MATCHERS_CONSTANTS_H
#define KCHECK_MATCHERS_CONSTANTS_H

#include "clang/AST/Expr.h"
#include <optional>

namespace kcheck {

/// What an integral or enumeration expression always is; nothing for others, for those that hang on a template's arguments,
/// and for what 64 bits with a sign do not hold.
std::optional<int64_t> constantValue(const clang::Expr *E, const clang::ASTContext &AST);

} // namespace kcheck
#endif
