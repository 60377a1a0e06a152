//===- LocalBench.h - the real workbench: actions, gate and devices of this machine ---------===//
//
//   build    ─► actions, each in a forked process
//   inspect  ─► lintFiles (worker processes), confirmed by the compilers; free edits: the guard, in a forked process
//   run      ─► sim: the gate's dynamic track in a forked process, then counters of sampled blocks at the size that is
//               tuned, and the cost model; gpu: the gate's dynamic track with its clock
//
//===--------------------------------------------------------------------------------------===//
#ifndef KCHECK_AGENT_BENCH_LOCALBENCH_H
#define KCHECK_AGENT_BENCH_LOCALBENCH_H

#include "agent/Context.h"
#include "gate/Session.h"
#include <memory>

namespace kcheck::agent {

struct BenchOptions {
  std::string File;              ///< of the kernel as it came; includes resolve beside it
  gate::Task Task;
  std::vector<std::string> Devices{"sim"}; ///< sim, gpu, gpu:N; the first one is the one that is tuned for
  std::vector<std::string> Archs; ///< for the simulator's cost model; empty: of Parse, else sm_80
  ParseOptions Parse;
  const Policy *Rules = nullptr; ///< null: the built-in ones
  uint64_t Seed = 1;             ///< of the inputs
  std::string Record;            ///< corpus that every candidate goes to; empty: none
  std::string Version;           ///< of kcheck, for the record
};

/// The error has a line for each thing that is wrong.
llvm::Expected<std::unique_ptr<Workbench>> localBench(const BenchOptions &O);

/// What the collector finds out about a kernel before anything runs: the task, the launcher, its callers, comments,
/// findings, limits. Fails where the file cannot be read or has no launcher for the task.
llvm::Expected<Context> collectContext(const BenchOptions &O, llvm::StringRef Text);

/// The size that is tuned for, and those at which the result must be right.
ops::Dims tunedShape(const gate::Task &T);
std::vector<ops::Dims> checkedShapes(const gate::Task &T);

} // namespace kcheck::agent
#endif
