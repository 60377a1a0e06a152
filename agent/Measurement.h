//===- Measurement.h - what running a candidate showed, as plain data ---------------===//
#ifndef KCHECK_AGENT_MEASUREMENT_H
#define KCHECK_AGENT_MEASUREMENT_H

#include "llvm/Support/JSON.h"
#include <map>
#include <string>
#include <vector>

namespace kcheck::agent {

/// One kernel's counters. Names are those of a GPU's counters (docs/gpu.md); on the simulator those that it has:
///   memory_pct compute_pct occupancy_pct active_lanes global_sectors ideal_sectors shared_wavefronts shared_conflicts
///   shared_pct registers local_bytes static_shared dynamic_shared block_threads blocks stall_*
struct KernelProfile {
  std::string Kernel;
  std::map<std::string, double> Values;
  std::string OccupancyLimiter; ///< registers, shared_memory, block_size, blocks, grid; empty: none or not known
  std::map<std::string, unsigned> Lines; ///< counter -> the source line with most of it
  double Share = 1;             ///< of the time of all kernels of the launcher
};

struct ShapeTime {
  std::string Shape;
  double Ms = 0, StartMs = 0; ///< of the kernel as it came, at the same shape; 0: not measured
};

struct Measurement {
  std::string Device;      ///< "sim", "NVIDIA H200"
  bool Modelled = false;   ///< the times are a cost model's, not a clock's
  double Ms = 0, LowMs = 0, HighMs = 0; ///< median and quartiles at the shape that is tuned
  double Bytes = 0, Flops = 0;          ///< least traffic and work of the operator at that shape; 0: not known
  double CopyGBs = 0, FmaGflops = 0;    ///< ceilings of the device
  double FloorMs = 0;      ///< what the roofline allows; 0: not known
  double LaunchMs = 0;
  std::vector<KernelProfile> Kernels;   ///< the one that takes longest first
  std::vector<ShapeTime> Shapes;        ///< where several were timed

  bool timed() const { return Ms > 0; }
  /// Share of the roofline that is reached, 0 to 1; 0: not known.
  double rooflineShare() const { return Ms > 0 && FloorMs > 0 ? FloorMs / Ms : 0; }
};

llvm::json::Value toJson(const Measurement &M);
Measurement measurementFromJson(const llvm::json::Value &V);

} // namespace kcheck::agent
#endif
