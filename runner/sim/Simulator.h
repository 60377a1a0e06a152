//===- Simulator.h - runs jobs on the CPU, checked ----------------------------===//
#ifndef KCHECK_SIM_SIMULATOR_H
#define KCHECK_SIM_SIMULATOR_H

#include "runner/protocol/Job.h"
#include "runner/protocol/Result.h"
#include "runner/sim/Jit.h"
#include "runner/sim/Memory.h"
#include <functional>

namespace kcheck::sim {

/// Fills Out with what G describes; empty: the distribution is unknown.
using FillFunction = std::function<bool(const protocol::Buffer &, protocol::Bytes &Out)>;

/// Runs a job that calls the candidate's host code (runner/sim/host). Uid: of the next block.
using HostCodeFunction = std::function<void(const protocol::Job &, Memory &, const FillFunction &, uint32_t &Uid, protocol::Result &)>;

/// One process holds one: the simulated memory has fixed addresses. Code is kept from job to job.
class Simulator {
public:
  explicit Simulator(FillFunction Fill, HostCodeFunction HostCode = {}) : Fill(std::move(Fill)), HostCode(std::move(HostCode)) {}
  protocol::Result run(const protocol::Job &J);

private:
  Compiled *compiled(const protocol::Job &J, const std::vector<std::string> &Kernels, protocol::Result &R);

  FillFunction Fill;
  HostCodeFunction HostCode;
  Memory Mem;
  uint32_t NextUid = 1; ///< of blocks; rises from job to job, so that old access records stay old
  std::map<std::string, std::unique_ptr<Compiled>> Cache; ///< by source, defines, arch and kernels
};

} // namespace kcheck::sim
#endif
