//===- Bind.h - a task against a candidate: which launcher, which buffers, which cases --===//
//
//   Task + launchers ─► Bound { launcher, an argument each parameter, dims } ─► cases ─► values and buffers of a case
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_GATE_DYNAMIC_BIND_H
#define KCHECK_GATE_DYNAMIC_BIND_H

#include "gate/plan/Launchers.h"
#include "gate/task/Task.h"

namespace kcheck::gate {

/// What one parameter of the launcher gets.
struct BoundArg {
  TaskArg::Kind What = TaskArg::Kind::Buffer;
  std::string Name;    ///< the parameter's, and the buffer's in findings
  std::string OpArg;   ///< the operator's argument; empty: none
  protocol::Role How = protocol::Role::In;
  protocol::DType Type = protocol::DType::F32;
  std::vector<std::string> Shape; ///< over the dims of a case (the task's and the operator's)
  std::string Dim;
  double Value = 0;
  std::optional<ops::Draw> Inputs;
  std::string Below;
  bool HostMemory = false; ///< launcher mode: the launcher copies from or to it itself
  const ops::Arg *Spec = nullptr; ///< the operator's argument

  bool isBuffer() const { return What == TaskArg::Kind::Buffer; }
  bool isInput() const { return isBuffer() && (How == protocol::Role::In || How == protocol::Role::InOut); }
  bool isOutput() const { return isBuffer() && (How == protocol::Role::Out || How == protocol::Role::InOut); }
};

struct Bound {
  const Launcher *L = nullptr;
  const ops::Operator *Op = nullptr; ///< null with a reference of the user's
  std::vector<BoundArg> Args;        ///< one each parameter
  std::map<std::string, std::string> DimOf; ///< operator's dim -> expression over the case's dims
  std::vector<std::string> AbsentAttrs;     ///< attributes that the launcher has in its code, if at all
  std::vector<ops::Case> Cases;

  /// The case's dims and the operator's, together.
  ops::Dims dims(const ops::Case &C) const;
  ops::Dims operatorDims(const ops::Case &C) const;
  std::vector<int64_t> shapeOf(const BoundArg &A, const ops::Case &C) const;
};

/// Nothing, and why, one line each, where task and candidate do not fit.
std::optional<Bound> bind(const Task &T, const Candidate &C, std::vector<std::string> &Problems);

} // namespace kcheck::gate
#endif
