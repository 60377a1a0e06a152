//===- Guard.h - what an edit touched that it may not touch ---------------------===//
//
//   parent ─► parse ─► GuardFacts ─┐
//   candidate ─► parse ─► GuardFacts ─┴─► compareFacts ─► violations, verdict
//
// Facts are plain data in a form that renaming, moving and reformatting leave alone: tokens with local names
// numbered, bounds checks as linear inequalities over parameters and indices, barriers with what they stand
// under, and what the launches reach at sample sizes.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_ACTIONS_GUARD_GUARD_H
#define KCHECK_ACTIONS_GUARD_GUARD_H

#include "actions/engine/Behaviour.h"
#include "analyzers/engine/Driver.h"
#include <set>

namespace kcheck {

/// "Poly >= 0" with the constant apart: equal Rest and a larger Constant is the weaker check.
struct BoundAtom {
  std::string Rest;
  int64_t Constant = 0;
  std::string Text; ///< as it stands in the source
  unsigned Line = 0;
};

struct BarrierFact {
  std::string Kind;  ///< "warp barrier", "barrier", "grid barrier"; "block fence", "fence", "system fence"; "wait for a copy"
  enum Class { Barrier, Fence, Wait } Of = Barrier;
  unsigned Reach = 0; ///< one of the same class that reaches further does what this one does, too
  bool InBranch = false; ///< not all threads come by
  unsigned Line = 0;
};

struct FunctionFacts {
  enum Kind { Kernel, Device, Host } K = Host;
  std::string Name, Signature;
  unsigned Line = 0;
  std::vector<std::string> Tokens;         ///< local names numbered
  std::vector<std::string> WithoutLaunches; ///< the same, launch sizes and what only they need blanked
  std::vector<std::string> Launches;       ///< sizes of each launch in canonical form
  std::map<std::string, std::string> Macros; ///< what the macros of the file mean that its words name; of a host function, outside launch sizes
  std::vector<std::string> Plain;          ///< as written
  std::vector<bool> InInnerLoop;           ///< a Plain token inside an innermost loop's body
  std::map<unsigned, std::vector<BoundAtom>> Guards; ///< checks in force at every access, by pointer parameter
  std::vector<std::string> Parameters;
  std::vector<BarrierFact> Barriers;
  bool Races = false; ///< two threads of a block conflict in a launch that was tried
};

struct GuardFacts {
  std::vector<FunctionFacts> Functions;
  std::vector<std::string> Errors;
  std::vector<std::string> FileScope;                  ///< tokens outside functions
  std::vector<std::pair<unsigned, std::vector<std::string>>> Protected; ///< line, tokens of each marked region
  std::vector<std::map<std::string, std::string>> ProtectedMacros;      ///< what macros mean there
  std::string MarkerFault;                             ///< a begin without an end
  std::optional<Behaviour> Does;
  bool Patient = false; ///< launches were followed for long
};

/// Patient: kernels that take long are followed, too.
GuardFacts guardFacts(TranslationUnit &TU, bool Patient = false);

struct GuardOptions {
  bool InnerOnly = false;         ///< nothing but the bodies of innermost loops may change
  std::vector<std::string> Allow; ///< tags that are no violation
};

struct Touched {
  std::string Function, What; ///< "kernel changed", "added", ...
  unsigned Line = 0;
};

struct GuardResult {
  std::vector<Finding> Violations; ///< rule kcheck-guard
  std::vector<Touched> Changes;
  Severity Worst = Severity::Off;
  bool Unfollowed = false; ///< a check is missed, and the candidate's launches were not followed as far as the parent's
};

GuardResult compareFacts(const GuardFacts &Parent, const GuardFacts &Candidate, llvm::StringRef CandidateFile, const GuardOptions &O, const Policy &P);

/// Parses both and compares.
llvm::Expected<GuardResult> guard(const LintInput &Parent, const LintInput &Candidate, const ParseOptions &Options, const GuardOptions &O, const Policy &P);

} // namespace kcheck
#endif
