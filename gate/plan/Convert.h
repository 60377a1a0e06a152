//===- Convert.h - an interpreted launcher as protocol steps -----------------------===//
#ifndef KCHECK_GATE_PLAN_CONVERT_H
#define KCHECK_GATE_PLAN_CONVERT_H

#include "gate/plan/Launchers.h"
#include "matchers/SharedOptIns.h"
#include "matchers/eval/Trace.h"

namespace kcheck::gate {

/// Steps of a run. Values are those of the launcher's parameters, in order; Raised: kernels that may have more shared memory.
StepPlan convertRun(const eval::HostRun &Run, const std::vector<ParamValue> &Values, const SharedOptIns &Raised, const clang::ASTContext &Ctx);

/// A scalar of type T as a launch argument; nothing when T is none of ours.
std::optional<protocol::Argument> scalarArgument(clang::QualType T, int64_t Int, double Real, const clang::ASTContext &Ctx);

} // namespace kcheck::gate
#endif
