//===- Loop.h - rounds of proposals, held against measurements ----------------------------===//
//
//   start ─► inspect, run, diagnose
//   each round: policy ─► candidates ─► build ─► no duplicate? ─► guard, static track ─► device ─► diagnose ─► feedback
//   end: roofline reached | no gain twice | rounds used up ─► winner at every shape ─► report
//
// What a policy answers is never trusted: whatever is wrong with it costs that candidate. Everything is written into the
// run folder as it happens (Folder.h), and a run that was killed goes on where it was.
//
//===------------------------------------------------------------------------------------===//
#ifndef KCHECK_AGENT_LOOP_LOOP_H
#define KCHECK_AGENT_LOOP_LOOP_H

#include "agent/Policy.h"
#include "llvm/Support/Error.h"

namespace kcheck::agent {

struct LoopOptions {
  unsigned Rounds = 4, Candidates = MostCandidates;
  uint64_t Seed = 1;
  std::string Folder;           ///< empty: nothing is kept
  double EnoughRoofline = 0.95; ///< share at which it stops
  double LeastGain = 0.01;      ///< less than this twice in a row: it stops
  size_t TokenBudget = 12000;
  std::function<void(const std::string &)> Say;  ///< a line for who watches
  std::function<bool()> Cancelled;
  std::function<void(Diagnosis &)> Disturb;      ///< experiments: what diagnoses are turned into before anybody reads them
};

/// The winner, or another candidate, at a shape.
struct DispatchRule {
  std::string Shape, Best; ///< id of the fastest there
  double Ms = 0, WinnerMs = 0, StartMs = 0;
};

struct LoopResult {
  std::vector<Round> Rounds;  ///< the first, number 0, holds the kernel as it came
  std::string Winner = "start";
  double StartMs = 0, BestMs = 0, Speedup = 1;
  std::string Stopped;        ///< why: "roofline", "no_gain", "rounds", "no_candidates", "cancelled"
  std::vector<DispatchRule> Shapes;
  std::string Dispatch;       ///< a suggestion where the winner depends on the shape; empty: it does not
  std::vector<std::string> Warnings;

  const Outcome *find(llvm::StringRef Id) const;
  const Outcome &winner() const { return *find(Winner); }
};

class Loop {
public:
  /// Base is what the collector found; the loop adds parents, rounds and devices' results.
  Loop(Workbench &Bench, agent::Policy &Policy, Context Base, LoopOptions O);

  /// All of it. An error: the kernel as it came cannot be measured, or the folder cannot be written.
  llvm::Expected<LoopResult> run();

  // The same in steps, for those who drive it from outside.
  llvm::Error begin();
  /// A round with the policy's candidates, or with those that are given. False: it has stopped before.
  bool round(const std::vector<Candidate> *Given = nullptr);
  void finish();
  const LoopResult &result() const { return R; }
  /// What the next round's proposals would be made from.
  Context context();

private:
  Proposal proposalOf(unsigned Number, const std::vector<Candidate> *Given);
  Round evaluate(unsigned Number, Proposal P);
  void buildAll(Round &X);
  void inspectAll(Round &X);
  void runAll(Round &X);
  void settle(Outcome &O, const RunResult &Ran);
  bool resumeRound(unsigned Number);
  std::string whyStop() const;
  std::vector<const Outcome *> best(size_t Most) const;
  void regress();
  void suggestDispatch(const std::vector<std::pair<std::string, Measurement>> &Times);
  void say(const std::string &Text) const;

  Workbench &Bench;
  agent::Policy &P;
  Context Base;
  LoopOptions O;
  LoopResult R;
};

/// Exchanges the labels of all diagnoses, no one keeping its own: what a search loses by that is what they are worth.
std::function<void(Diagnosis &)> shuffledLabels(uint64_t Seed);

/// The seed of a round.
uint64_t roundSeed(uint64_t Seed, unsigned Round);

} // namespace kcheck::agent
#endif
