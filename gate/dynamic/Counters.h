//===- Counters.h - access and divergence counters as labels ------------------------===//
#ifndef KCHECK_GATE_DYNAMIC_COUNTERS_H
#define KCHECK_GATE_DYNAMIC_COUNTERS_H

#include "analyzers/engine/Policy.h"
#include "runner/protocol/Result.h"
#include "llvm/Support/JSON.h"
#include <string>
#include <vector>

namespace kcheck::gate {

/// Bounds from rules.yaml (docs/design.md, counters).
struct CounterLimits {
  double SectorsPerIdeal = 1.5, WavefrontsPerIdeal = 1.2, ActiveLanes = 24, Occupancy = 50;
  static CounterLimits from(const Policy &P, llvm::StringRef Rule);
};

struct CounterLabel {
  std::string Name; ///< "uncoalesced", "bank_conflict", "warp_divergence", "occupancy_limit"
  unsigned Line = 0;
  double Value = 0, Limit = 0;
  double Excess = 0; ///< how far beyond the limit, to choose the primary one
  std::string Text;
};

/// Share of an SM's threads that blocks of this size and shared memory fill, registers aside, and what bounds it.
struct Occupancy {
  double Percent = 0;
  std::string Limiter; ///< "threads", "blocks", "shared memory"
};
Occupancy occupancyOf(const protocol::LaunchMetrics &M, llvm::StringRef Arch);

/// The worst first.
std::vector<CounterLabel> labelLaunch(const protocol::LaunchMetrics &M, const CounterLimits &L, llvm::StringRef Arch);
llvm::json::Object countersJson(const std::vector<protocol::LaunchMetrics> &Launches, const CounterLimits &L, llvm::StringRef Arch);
/// One line a kernel: the figures, then its labels with their lines.
std::vector<std::string> counterLines(const std::vector<protocol::LaunchMetrics> &Launches, const CounterLimits &L, llvm::StringRef Arch);

} // namespace kcheck::gate
#endif
