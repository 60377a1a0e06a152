//===- Perf.h - candidate and baseline timed in turns -----------------------------===//
//
//   a round:  [permute inputs, poison outputs, hash inputs, flush L2] event, candidate's steps, event [hash, reference, compare]
//             the same with the baseline's steps on another set of buffers of the pool
//
// What stands in brackets is not timed. Everything of a round is queued before the device gets to it, so that the events
// see no gap of the host's. Warm-up rounds are rounds like all others whose times are dropped; how many is random.
// A candidate's output is compared in every round, so one that is right only when it thinks that nobody looks is found.
//
//===------------------------------------------------------------------------------===//
#ifndef KCHECK_GPU_PERF_H
#define KCHECK_GPU_PERF_H

#include "runner/gpu/Reference.h"
#include "runner/gpu/Watchdog.h"

namespace kcheck::gpu {

/// Measured once a device and kept in the cache.
struct Ceilings {
  double CopyGBs = 0;   ///< bytes read plus bytes written
  double FmaGflops = 0; ///< fp32, two operations an FMA
};
Ceilings ceilings(Device &G);

/// The least time that an honest kernel can take. Inputs come from DRAM (the L2 is flushed), the last writes may stay in L2;
/// a margin is left for what the ceilings do not reach. MatrixUnits: how many times faster than FMAs the type's matrix units are.
double floorMs(uint64_t InputBytes, uint64_t OutputBytes, double Flops, uint64_t L2Bytes, const Ceilings &C, double MatrixUnits);

/// What a wrong output in a measured round means.
struct RoundFacts {
  uint64_t Elements = 0;
  CompareReport Report{};
  unsigned Round = 0;        ///< of Rounds, warm-up included
  bool RightBefore = false;  ///< an earlier round was right
  bool LikeEarlier = false;  ///< its bytes are those of an earlier round, whose inputs were others
};
/// A cheat_* tag and a sentence; no tag: plainly wrong.
std::pair<std::string, std::string> classifyWrong(const RoundFacts &F);

/// Bits of NVML's reasons for which a sample is not to be trusted, and their names.
std::string throttleText(unsigned long long Reasons);
bool isThrottled(unsigned long long Reasons);

/// Measures; findings (cheats, wrong outputs) and judgements go into R. Throws Failed.
class HostCode;
/// Host: of a job whose steps call the candidate's launcher, else null.
void measure(Device &G, const protocol::Job &J, Loaded &Candidate, HostCode *Host, Watchdog &W, const std::function<void(std::string)> &OnHang, protocol::Result &R);

} // namespace kcheck::gpu
#endif
