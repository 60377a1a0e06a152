//===- Session.h - the dynamic track for programs: task, devices, workers --------------===//
//
//   --task / --op / --device ─► Session::open (all that can be wrong is said here) ─► check() a file, on every device
//
// With several devices each gives a verdict of its own; the report is that of the worst, with all of them under "devices"
// and the combined speed under "score".
//
//===--------------------------------------------------------------------------------===//
#ifndef KCHECK_GATE_SESSION_H
#define KCHECK_GATE_SESSION_H

#include "gate/dynamic/Devices.h"
#include "gate/dynamic/Dynamic.h"

namespace kcheck::gate {

struct SessionOptions {
  std::string TaskFile, Op; ///< at most one
  std::optional<gate::Task> Task; ///< instead of both
  std::string Device; ///< "sim", "gpu[:N|:all]", URL, "none", or several with commas; empty: sim, where its worker is installed
  std::string Baseline;       ///< a file, instead of the task's; empty: the task's
  std::string Seed;           ///< a number; empty: a fresh one each check
  bool KeepGoing = false;
  bool TrustHost = false;     ///< launcher mode is no reason for a review
  bool Counters = true;       ///< of a GPU; they take longer than all the rest
  ParseOptions Parse;
};

class Session {
public:
  /// The error has a line for each thing that is wrong.
  static llvm::Expected<std::unique_ptr<Session>> open(const SessionOptions &O);
  ~Session();

  /// The dynamic track of one file, whose static track is done; concludes the report. Rules weighs what it finds. May be called
  /// from as many threads as parallel() says.
  /// Other: a task instead of the one that it was opened with.
  void check(FileReport &F, const Policy &Rules, const gate::Task *Other = nullptr) const;
  /// A file will be checked soon, and its static track comes first: workers may start.
  void expect() const;
  unsigned parallel() const;
  /// Of the first GPU; empty: none.
  std::string arch() const;

private:
  Session() = default;
  void checkOn(FileReport &F, Target &T, const Policy &Rules, const gate::Task *Other) const;

  DynamicOptions Options;
  std::string NoDevice; ///< why nothing can run; empty: it can
  std::vector<std::unique_ptr<Target>> Targets;
};

} // namespace kcheck::gate
#endif
