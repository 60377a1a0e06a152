//===- Counters.h - hardware counters of the candidate's kernels, and what they mean ---===//
//
//   flushed L2, launches ─► CUPTI range profiler, a pass after the other ─► values by metric ─► labels with evidence
//
//===-------------------------------------------------------------------------------===//
#ifndef KCHECK_GPU_COUNTERS_H
#define KCHECK_GPU_COUNTERS_H

#include "runner/gpu/Execute.h"

namespace kcheck::gpu {

/// docs/design.md, counters: the defaults of rules.yaml.
struct LabelLimits {
  double Throughput = 60, Occupancy = 50, ActiveLanes = 24, Wavefronts = 1.2, Sectors = 1.5;
};

/// Labels of one kernel's values; exactly one is primary where there is any.
std::vector<protocol::CounterLabel> labelCounters(const std::map<std::string, double> &Values, const protocol::KernelFacts &Facts, const LabelLimits &L = {});

/// Counts every launch of the job once; where counters cannot be read R.Counters says why.
void count(Device &G, const protocol::Job &J, Loaded &Code, protocol::Result &R);

/// Whether counters can be read on this device (needs a context); empty: yes.
std::string countersDenied(Device &G);

} // namespace kcheck::gpu
#endif
