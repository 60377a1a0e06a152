//===- Asking.h - policies that put the round to somebody else ------------------------===//
//
//   Context ─► prompt ─► ask (a model, a program) ─► reply ─► readReply ─┬─► candidates
//                         ▲                                             └─► faults ── once ──┐
//                         └────────────── the faults, to be mended ◄──────────────────────────┘
//
// The analysis comes before the candidates, in the same answer. What is wrong with an answer costs the candidates that it
// is wrong with; nothing that is answered can end the run.
//
//===---------------------------------------------------------------------------------===//
#ifndef KCHECK_AGENT_POLICY_ASKING_H
#define KCHECK_AGENT_POLICY_ASKING_H

#include "agent/Policy.h"
#include "agent/chat/Chat.h"

namespace kcheck::agent {

/// What was answered, or the failure's type and why.
struct Asked {
  std::string Text, FailureType, Why;
  llvm::json::Object Facts;
};

class AskingPolicy : public Policy {
public:
  Proposal propose(const PolicyRequest &R) final;

protected:
  /// Fails by its answer only.
  virtual Asked ask(const std::vector<ChatMessage> &Messages, const PolicyRequest &R) = 0;

private:
  Asked exchange(const std::vector<ChatMessage> &Messages, const PolicyRequest &R, Proposal &Out);
};

struct ReadReply {
  std::string Analysis;
  std::vector<Candidate> Candidates;
  std::vector<std::string> Faults; ///< one for each candidate that is none, or for the answer as a whole
};
/// Holds an answer against what the context allows: known parents, actions and parameters, a hypothesis each, at most Wanted.
ReadReply readReply(llvm::StringRef Text, const Context &C, unsigned Wanted);

/// What is asked for, and in which form.
std::string instructions(unsigned Wanted);

/// Null, and why, where the settings are not enough.
std::unique_ptr<Policy> llmPolicy(const PolicyOptions &O, std::string &Error);
std::unique_ptr<Policy> commandPolicy(const PolicyOptions &O, std::string &Error);

} // namespace kcheck::agent
#endif
