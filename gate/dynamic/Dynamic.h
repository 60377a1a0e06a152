//===- Dynamic.h - the dynamic track of one candidate ----------------------------------===//
//
//   FileReport (static track) ─► bind task ─► plan every case ─► jobs ─► worker ─► compare ─► FileReport::Dynamic
//
// The one place that decides what runs, when it stops and what it weighs (docs/design.md, Verdict). Nothing of the
// candidate is executed in this process.
//
//===--------------------------------------------------------------------------------===//
#ifndef KCHECK_GATE_DYNAMIC_DYNAMIC_H
#define KCHECK_GATE_DYNAMIC_DYNAMIC_H

#include "analyzers/engine/output/Report.h"
#include "gate/dynamic/Answers.h"
#include "gate/dynamic/Counters.h"
#include "gate/task/Task.h"
#include "runner/protocol/Job.h"

namespace kcheck::gate {

/// Runs jobs in order on whatever the device is; answers all, or with StopAtFault the first ones up to the one that ended it.
using RunJobs = std::function<Answers(std::vector<protocol::Job>, bool StopAtFault)>;

struct DynamicOptions {
  std::optional<gate::Task> Task;  ///< nothing: no operator is known, numerics cannot run
  std::string Device = "sim";      ///< for the report
  std::optional<uint64_t> Seed;    ///< replays a check; nothing: a fresh secret one
  bool KeepGoing = false;          ///< also after a static reject
  bool TrustHost = false;          ///< launcher mode is no reason for a review
  bool Counters = true;            ///< hardware counters, where the device has them
  ParseOptions Parse;
  const Policy *Rules = nullptr;   ///< weighs the faults; null: the built-in one
};

/// Fills in F.Dynamic, settles deferred findings and concludes.
void runDynamic(FileReport &F, const DynamicOptions &O, const RunJobs &Run);

} // namespace kcheck::gate
#endif
