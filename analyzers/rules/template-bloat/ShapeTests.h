//===- ShapeTests.h - launches behind a test for one exact shape ----------------===//
//
//   if (batch == 8 && features == 768) layernorm<8, 768><<<8, 256>>>(x, y);
//
// A template argument that a run-time size has to equal is the shape itself. One such argument (a head
// dimension) is common practice; several at once name whole shapes, and any other needs a new build.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_ANALYZERS_RULES_TEMPLATE_BLOAT_SHAPETESTS_H
#define KCHECK_ANALYZERS_RULES_TEMPLATE_BLOAT_SHAPETESTS_H

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"
#include "llvm/ADT/DenseMap.h"

namespace kcheck::bloat {

/// For each kernel template, how many of its launches stand under `==` tests of two or more of their template arguments,
/// one of which is larger than any tuning choice.
llvm::DenseMap<const clang::FunctionTemplateDecl *, unsigned> launchesOfOneShape(clang::ASTContext &AST);

} // namespace kcheck::bloat
#endif
