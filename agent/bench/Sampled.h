//===- Sampled.h - counters of a few blocks at a size that is too big to simulate ------------===//
#ifndef KCHECK_AGENT_BENCH_SAMPLED_H
#define KCHECK_AGENT_BENCH_SAMPLED_H

#include "gate/task/Task.h"
#include "analyzers/engine/Driver.h"
#include "runner/protocol/Result.h"

namespace kcheck::agent {

struct SampledRun {
  std::vector<protocol::LaunchMetrics> Launches;
  double Footprint = 0;  ///< bytes of all buffers
  double LeastBytes = 0; ///< each input read once, each output written once
};

/// Plans the candidate's launches at these sizes and has the simulator run a few blocks of each, unchecked. Nothing, and
/// why, where that cannot be done.
std::optional<SampledRun> countSampled(llvm::StringRef File, llvm::StringRef Text, const ParseOptions &O, const gate::Task &T, const ops::Dims &Sizes,
                                       std::string &Why);

} // namespace kcheck::agent
#endif
