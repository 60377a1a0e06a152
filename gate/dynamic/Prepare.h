//===- Prepare.h - a candidate, with everything that its AST has to say taken out ----------===//
#ifndef KCHECK_GATE_DYNAMIC_PREPARE_H
#define KCHECK_GATE_DYNAMIC_PREPARE_H

#include "gate/dynamic/Case.h"

namespace kcheck::gate {

/// What is to be run: a launcher, bound, with a plan for each case.
struct Prepared {
  Launcher Launch;
  Bound B; ///< its launcher is Launch
  std::vector<PlannedCase> Cases;
  HostCall Call;                   ///< launcher mode; no text: there is none
  std::vector<StepPlan> Called;    ///< of each case, the launcher itself called
  StepPlan PerfCalled;             ///< the same at the size that is timed
  std::string HostConcern;         ///< why the host code is worth a run although the plan is known
  std::optional<PlannedCase> Perf; ///< at the size that is timed; nothing: no size is known
  protocol::Source Source;
  std::map<std::string, unsigned> KernelLines; ///< by name expression
  std::vector<int64_t> ComparedSizes;
  bool FloatAtomics = false;

  bool callsItself() const { return !Source.CallText.empty(); }
  Prepared() = default;
  Prepared(const Prepared &) = delete; // B points to Launch
  Prepared &operator=(const Prepared &) = delete;
};

/// The one launcher that a task or operator means. Nothing, and why, where task and candidate do not fit.
std::unique_ptr<Prepared> prepareTask(llvm::StringRef File, llvm::StringRef Text, const ParseOptions &O, const Task &T,
                                      std::vector<std::string> &Problems);

/// The functions of a PyTorch extension that a file shows, with the source that each is called from.
struct PreparedExtension {
  ExtensionCall Call;
  protocol::Source Source;
  bool Shown = false; ///< a Python file shows sizes
};

/// Every launcher whose buffers follow from what it touches; Problems: why others are left out. Program: there is a main, which says
/// itself how its launchers are called; elsewhere one whose plan is not known is called as it is, where HostCode may run.
std::vector<std::unique_ptr<Prepared>> prepareGuess(llvm::StringRef File, llvm::StringRef Text, const ParseOptions &O, bool HostCode,
                                                    std::vector<std::string> &Problems, std::vector<PreparedExtension> &Extensions, bool &Program);

} // namespace kcheck::gate
#endif
