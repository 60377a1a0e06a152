//===- Policy.h - who proposes candidates ------------------------------------------------===//
//
//   Context (all that is known), Seed ─► propose ─► at most Wanted candidates, each with its hypothesis
//
// A policy never touches the device and decides nothing: whatever it answers is built, guarded and checked by the loop.
// A policy that fails says so in Failures, and each costs a candidate of the round. The same request gives the same
// proposal where a policy is deterministic.
//
// To add a policy: a unit that implements Policy, and its name in makePolicy (agent/policy/Make.cpp).
//
//===-----------------------------------------------------------------------------------===//
#ifndef KCHECK_AGENT_POLICY_H
#define KCHECK_AGENT_POLICY_H

#include "agent/Context.h"
#include <memory>

namespace kcheck::agent {

inline constexpr unsigned MostCandidates = 8;

struct PolicyRequest {
  const agent::Context &Context;
  Workbench &Bench;          ///< to try actions out; nothing is run
  unsigned Round = 1, Wanted = MostCandidates;
  uint64_t Seed = 0;         ///< of this round
  size_t TokenBudget = 12000;
};

/// Kept in the run folder.
struct Exchange {
  std::string Prompt, Reply;
  llvm::json::Object Facts; ///< model, tokens, cost, seconds, tries
};

struct PolicyFailure {
  std::string Type, Message; ///< "policy_timeout", "policy_garbage", "policy_unreachable", "policy_limit"
};

struct Proposal {
  std::string Analysis;               ///< what the policy makes of the numbers, for the notebook
  std::vector<Candidate> Candidates;  ///< Id is given by the loop
  std::vector<PolicyFailure> Failures;
  std::vector<Exchange> Exchanges;
};

class Policy {
public:
  virtual ~Policy() = default;
  virtual std::string name() const = 0;
  virtual Proposal propose(const PolicyRequest &R) = 0;
};

/// Settings of all policies; each takes what it needs.
struct PolicyOptions {
  std::string Name = "builtin"; ///< builtin, llm, command
  std::string Command;          ///< command: the program, run by the shell
  std::string Url, Model, KeyVariable; ///< llm
  double Seconds = 120;         ///< of one answer
  size_t MostTokens = 0;        ///< of the whole run; 0: no limit
  double MostCost = 0;          ///< of the whole run; 0: no limit
};

/// Null, and why, where there is no such policy or its settings are not enough.
std::unique_ptr<Policy> makePolicy(const PolicyOptions &O, std::string &Error);

} // namespace kcheck::agent
#endif
