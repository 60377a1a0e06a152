//===- Candidate.h - one attempt at a faster kernel ------------------------------===//
//
// A candidate is a parent and either named actions to apply to it, one after another, or the edited source itself. It says
// why it should be faster, so that the outcome can be held against the hypothesis.
//
//===----------------------------------------------------------------------------===//
#ifndef KCHECK_AGENT_CANDIDATE_H
#define KCHECK_AGENT_CANDIDATE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kcheck::agent {

/// One action with its parameters; what is not set is chosen by the action.
struct Step {
  std::string Action;
  std::map<std::string, int64_t> Set;
  std::string Kernel;  ///< empty: the first place where the action applies
  unsigned Line = 0;   ///< of the place; 0: any
  bool operator==(const Step &) const = default;
};

/// "tile-shared:bm=16,bn=16@k:12", without what is not said.
std::string toString(const Step &S);
std::string toString(const std::vector<Step> &Steps);
/// Nothing, and why, where the text is none.
std::optional<Step> parseStep(llvm::StringRef Text, std::string &Error);

struct Candidate {
  std::string Id;      ///< "r2c3", given by the loop; the kernel as it came is "start"
  std::string Parent;  ///< whose source it starts from; empty: the best one so far
  std::string Varies;  ///< the candidate whose sequence this is with one step changed, and against which it is held; empty: the parent
  std::vector<Step> Steps;
  std::optional<std::string> Source; ///< instead of Steps: the edited file, which must pass the guard
  std::string Hypothesis; ///< what limits the parent, and why this change helps
  double PredictedGain = 0; ///< time of what it is held against over the time expected; 0: not said
  const std::string &heldAgainst() const { return Varies.empty() ? Parent : Varies; }
  bool operator==(const Candidate &) const = default;
};

llvm::json::Value toJson(const Step &S);
llvm::json::Value toJson(const Candidate &C);
/// Reads what toJson writes, and what a model may answer: steps as objects or as text. Unknown keys are left alone; a
/// wrong type, no parent's change at all or both kinds of change are errors that name the key.
std::optional<Candidate> candidateFromJson(const llvm::json::Value &V, std::string &Error);

} // namespace kcheck::agent
#endif
