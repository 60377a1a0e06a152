//===- Feedback.h - what became of a round's candidates -------------------------------===//
//
//   outcomes of a round ─► aggregate ─► ranking, best and worst with what distinguishes them, failures, hypothesis against
//   outcome ─► JSON (program) and Markdown (the prefix of the next prompt, and the notebook)
//
//===--------------------------------------------------------------------------------===//
#ifndef KCHECK_AGENT_FEEDBACK_H
#define KCHECK_AGENT_FEEDBACK_H

#include "agent/Candidate.h"
#include "agent/Diagnosis.h"

namespace kcheck::agent {

/// How far a candidate came.
enum class Stage {
  Policy,   ///< the policy gave none: time-out, garbage, an unknown action
  Build,    ///< the action does not apply, or the text cannot be read
  Guard,    ///< it touched what it may not touch
  Static,   ///< rejected without being run
  Dynamic,  ///< rejected by running it
  Measured  ///< right and timed
};
llvm::StringRef toString(Stage S);

struct Outcome {
  Candidate What;
  Stage Reached = Stage::Policy;
  std::string Failure; ///< its type: a tag such as compile_error, out_of_bounds_global, duplicate; empty: none
  std::string Message; ///< the last lines of the real message
  std::string Text;    ///< the source; empty where there is none
  std::string Hash;    ///< of the AST: equal for texts that differ in names and layout only
  std::string Verdict; ///< PASS, REVIEW, REJECT; empty: none
  std::vector<std::string> Reasons; ///< tags, worst first
  StaticFacts Facts;
  Measurement Measured;
  std::vector<Measurement> Others; ///< on further devices
  Diagnosis Why;
  double Speedup = 0;  ///< time of "start" over its own, of several devices the geometric mean; 0: not timed
  double Gain = 0;     ///< time of what it is held against over its own
  unsigned Round = 0;

  bool good() const { return Reached == Stage::Measured && Speedup > 0; }
};

struct Round {
  unsigned Number = 0;
  std::vector<Outcome> Outcomes; ///< in the order of the proposals
  std::string Best;              ///< id of the best candidate up to here
  double BestMs = 0;
  double Seconds = 0;
};

/// How the hypothesis fared: "holds", "holds in part", "no effect", "wrong", "not answered".
llvm::StringRef verdictOn(const Outcome &O);
/// What all of the best have and none of the last, and the other way about.
std::pair<std::vector<std::string>, std::vector<std::string>> distinguishing(const Round &R, unsigned Top = 3);

/// Ids of the good ones, fastest first; then the others in their order.
std::vector<const Outcome *> ranked(const std::vector<Outcome> &All);

/// At most Top best and Top worst good ones, what the best have that the worst do not, each failure.
std::string feedbackMarkdown(const Round &R, unsigned Top = 3);
llvm::json::Value feedbackJson(const Round &R, unsigned Top = 3);

llvm::json::Value toJson(const Outcome &O);
std::optional<Outcome> outcomeFromJson(const llvm::json::Value &V, std::string &Error);

} // namespace kcheck::agent
#endif
