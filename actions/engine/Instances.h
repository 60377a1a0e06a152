//===- Instances.h - templates that an action may edit ----------------------------===//
#ifndef KCHECK_ACTIONS_ENGINE_INSTANCES_H
#define KCHECK_ACTIONS_ENGINE_INSTANCES_H

#include "actions/engine/ActionContext.h"

namespace kcheck {

/// What the analyses prove, they prove of one instantiation. Why that is not enough for the text of K; empty for kernels
/// that are no templates, and for those with one instantiation whose launches are no templates themselves.
std::string whyNotOneInstance(const KernelView &K);

/// The front end hands instantiations over as declarations of their own, beside their templates: visitors that look into
/// templates would meet each twice, and take what one writes for two writes.
void visitInstancesOnce(clang::ASTContext &AST);

} // namespace kcheck
#endif
