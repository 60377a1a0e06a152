//===- Diagnosis.h - what limits a kernel -------------------------------------------===//
//
//   Measurement, static facts ─► diagnose (rules over numbers) ─► bottlenecks with evidence, the strongest first
//
// Numbers are judged before any model sees them, so that none takes a compute-bound kernel for a memory-bound one.
//
//===--------------------------------------------------------------------------------===//
#ifndef KCHECK_AGENT_DIAGNOSIS_H
#define KCHECK_AGENT_DIAGNOSIS_H

#include "agent/Measurement.h"
#include <optional>

namespace kcheck::agent {

/// Labels: memory, compute, latency, occupancy, divergence, bank_conflicts, coalescing.
struct Bottleneck {
  std::string Label;
  double Weight = 0;     ///< share of the time it may explain, 0 to 1
  double Confidence = 0; ///< 0 to 1: how well the counters behind it are known
  std::string Evidence;  ///< a sentence with the numbers
  std::string By;        ///< of occupancy: registers, shared_memory, block_size, blocks, grid
  unsigned Line = 0;
};

struct Diagnosis {
  std::vector<Bottleneck> Found; ///< the first is the primary one; never empty once something was measured
  double RooflineShare = 0;      ///< 0: not known
  std::string Ceiling;           ///< "memory" or "compute": the roofline that bounds the operator
  /// Of the kernel that takes longest; nothing where it is not known.
  std::optional<double> MemoryPct, ComputePct, OccupancyPct, ActiveLanes;

  const Bottleneck *find(llvm::StringRef Label) const;
  double weight(llvm::StringRef Label) const; ///< 0 when absent
};

/// What the code shows without running.
struct StaticFacts {
  bool UsesShared = false;
  std::vector<std::string> Findings; ///< tags of the perf group, such as uncoalesced_access
};

Diagnosis diagnose(const Measurement &M, const StaticFacts &S);
llvm::json::Value toJson(const Diagnosis &D);
Diagnosis diagnosisFromJson(const llvm::json::Value &V);

} // namespace kcheck::agent
#endif
