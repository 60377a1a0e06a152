//===- CostModel.h - simulated counters as modelled time ---------------------------------===//
//
//   LaunchMetrics (counted on sampled blocks) + what a device can do ─► milliseconds, counters
//
// The formulas and their limits: docs/cost-model.md. A modelled time ranks candidates; it is no measurement.
//
//===-----------------------------------------------------------------------------------===//
#ifndef KCHECK_AGENT_BENCH_COSTMODEL_H
#define KCHECK_AGENT_BENCH_COSTMODEL_H

#include "agent/Context.h"
#include "runner/protocol/Result.h"

namespace kcheck::agent {

struct DeviceModel {
  std::string Name;
  unsigned Capability = 80;
  double Units = 108, ClockGHz = 1.41, Lanes = 64; ///< multiprocessors; fp32 multiply-adds a clock of each
  double CopyGBs = 1380, L2GBs = 4200, L2Bytes = 40e6;
  double ThreadsPerUnit = 2048, BlocksPerUnit = 32, SharedPerUnit = 164 * 1024;

  static DeviceModel of(llvm::StringRef Arch);
  double fmaGflops() const { return Units * Lanes * 2 * ClockGHz; }
  DeviceFacts facts(llvm::StringRef Arch) const;
};

/// Time of one launch and its counters. Footprint: bytes of all buffers that it may touch.
KernelProfile modelLaunch(const protocol::LaunchMetrics &M, double Footprint, const DeviceModel &D, double &Ms);

/// All launches of a job, with the operator's least traffic and work for the roofline.
Measurement modelTimes(const std::vector<protocol::LaunchMetrics> &Launches, double Footprint, double LeastBytes, double Flops, const DeviceModel &D);

/// Work of all launches, as they did it.
double flopsOf(const std::vector<protocol::LaunchMetrics> &Launches);

} // namespace kcheck::agent
#endif
