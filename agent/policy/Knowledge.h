//===- Knowledge.h - which action helps against what ------------------------------------===//
//
// For each action, the share of a bottleneck's time that it usually takes away, and the reason in words. Numbers are
// first guesses from measurements of the actions on an H200 (docs/actions/); what a run shows corrects them.
//
// What rebuilds a kernel is a remedy for something: it is tried where that is found, and not because it has helped others. What changes little needs no
// such reason.
//
// To teach the policy a new action: a row in Knowledge.cpp. Without one it is tried, with low expectations.
//
//===----------------------------------------------------------------------------------===//
#ifndef KCHECK_AGENT_POLICY_KNOWLEDGE_H
#define KCHECK_AGENT_POLICY_KNOWLEDGE_H

#include "agent/Workbench.h"

namespace kcheck::agent {

struct Helps {
  llvm::StringRef Action;
  std::vector<std::pair<llvm::StringRef, double>> Against; ///< label, share of its time that goes away
  llvm::StringRef Because;
  unsigned Remedies = 0; ///< so many of Against, from the first on, are what the action is for; none: it may be tried against anything
  std::vector<llvm::StringRef> OrAllOf = {}; ///< labels that call for it together, where each alone has a smaller cure
};

const Helps &knowledgeOf(llvm::StringRef Action);

/// What a term of a tiled sum costs, in units of one multiply-add an operand lane, from the parameters or the effect that
/// the action predicts. Nothing where neither says.
std::optional<double> termCost(const std::map<std::string, int64_t> &Set, const llvm::json::Object &Effect);
std::optional<double> termCost(const std::vector<Step> &Steps);
/// Of a sum that is not tiled.
inline constexpr double PlainTermCost = 10;

} // namespace kcheck::agent
#endif
