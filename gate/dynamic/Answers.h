//===- Answers.h - what a device says, answer by answer --------------------------------===//
#ifndef KCHECK_GATE_DYNAMIC_ANSWERS_H
#define KCHECK_GATE_DYNAMIC_ANSWERS_H

#include "runner/protocol/Result.h"
#include <functional>
#include <optional>
#include <vector>

namespace kcheck::gate {

/// Answers in the order of the jobs, perhaps while later jobs still run. Destroying it ends these.
class Answers {
public:
  Answers(std::vector<protocol::Result> All)
      : Next([All = std::move(All), At = size_t(0)]() mutable { return At < All.size() ? std::optional(std::move(All[At++])) : std::nullopt; }) {}
  explicit Answers(std::function<std::optional<protocol::Result>()> Next) : Next(std::move(Next)) {}

  /// Waits for it; nothing behind the last one.
  std::optional<protocol::Result> next() { return Next(); }

private:
  std::function<std::optional<protocol::Result>()> Next;
};

} // namespace kcheck::gate
#endif
