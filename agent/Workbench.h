//===- Workbench.h - what the loop does to kernels, behind one interface ----------------===//
//
//   sites: which actions apply ─► build: text after steps ─► inspect: guard and static track ─► run: dynamic track, time
//
// The loop and the policies see plain data only. agent/bench/ is the real one; tests have their own.
//
//===----------------------------------------------------------------------------------===//
#ifndef KCHECK_AGENT_WORKBENCH_H
#define KCHECK_AGENT_WORKBENCH_H

#include "agent/Feedback.h"
#include <functional>

namespace kcheck::agent {

/// Parameters that are legal together at a site, and what they are expected to change.
struct SiteOption {
  std::map<std::string, int64_t> Set;
  llvm::json::Object Effect;
};

struct ActionSite {
  std::string Action, Kernel, What;
  std::string WhyNot; ///< empty: it applies
  unsigned Line = 0;
  std::vector<SiteOption> Options; ///< the action's best guess first
};

/// An action as a prompt describes it.
struct ActionDoc {
  std::string Name, Summary;
  std::vector<std::pair<std::string, std::string>> Parameters; ///< name, range and meaning
};

struct BuildRequest {
  std::string Text;
  std::vector<Step> Steps; ///< none: Text is taken as it is
  bool WantSites = false;
};

struct Built {
  std::string Text, Hash, Error; ///< Error: why there is no text
  std::vector<Step> Steps;       ///< with the parameters that were used
  std::vector<ActionSite> Sites;
};

struct InspectRequest {
  std::string Text;
  std::optional<std::string> GuardedBy; ///< the parent's text, for free edits
};

struct Inspected {
  Stage Reached = Stage::Static;
  bool Rejected = false;
  std::string Failure, Message;
  std::vector<std::string> Reasons;
  StaticFacts Facts;
};

struct RunResult {
  std::string Verdict; ///< empty: not run, Failure says why
  std::string Failure, Message;
  std::vector<std::string> Reasons;
  Measurement Measured;
  std::vector<Measurement> Others; ///< on further devices
};

llvm::json::Value toJson(const RunResult &R);
RunResult runResultFromJson(const llvm::json::Value &V);

class Workbench {
public:
  virtual ~Workbench() = default;
  virtual std::vector<ActionDoc> actions() const = 0;
  /// In parallel, each in a process of its own: one that crashes or hangs is an Error.
  virtual std::vector<Built> build(const std::vector<BuildRequest> &All) = 0;
  virtual std::vector<Inspected> inspect(const std::vector<InspectRequest> &All) = 0;
  /// Correctness at the task's shapes, then time at the shape that is tuned. Answers are in the order of the texts; Done is
  /// called after each.
  virtual std::vector<RunResult> run(const std::vector<std::string> &Texts, const std::function<void(size_t, const RunResult &)> &Done) = 0;
  /// Time at every shape of the task, for the last word on a winner.
  virtual RunResult regress(const std::string &Text) = 0;
  /// What the kernel as it came did: the work that the roofline is about.
  virtual void startIs(const Measurement &M) {}
};

} // namespace kcheck::agent
#endif
