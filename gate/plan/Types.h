//===- Types.h - C++ types as element types ---------------------------------------===//
#ifndef KCHECK_GATE_PLAN_TYPES_H
#define KCHECK_GATE_PLAN_TYPES_H

#include "clang/AST/ASTContext.h"
#include "runner/ops/Match.h"

namespace kcheck::gate {

/// The element type that a scalar type stands for; half and bfloat16 by their names.
std::optional<protocol::DType> elementType(clang::QualType T, const clang::ASTContext &Ctx);

/// A parameter as plain data. Vector pointers (float4*) count as pointers to their element.
ops::Param describeParam(const clang::ParmVarDecl *P, const clang::ASTContext &Ctx);

/// "k", "ns::k<float, 4>": the name by which an instantiated kernel is asked for.
std::string nameExpression(const clang::FunctionDecl *F);

} // namespace kcheck::gate
#endif
