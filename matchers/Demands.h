//===- Demands.h - what a host function insists on before it goes on ------------===//
//
//   TORCH_CHECK(x.is_cuda() && x.scalar_type() == torch::kFloat64);
//   if (!x.is_contiguous()) throw std::invalid_argument("…");
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_MATCHERS_DEMANDS_H
#define KCHECK_MATCHERS_DEMANDS_H

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"
#include <vector>

namespace kcheck {

/// The conditions of F's `if (!(a && b)) …;` without an else, one by one: a, b. Empty for a function without a body.
std::vector<const clang::Expr *> demandsOf(const clang::FunctionDecl *F);

} // namespace kcheck
#endif
