//===- Races.h - conflicting accesses of two threads ---------------------------===//
//
// Two accesses conflict when different threads touch the same bytes, one of them writes, and nothing orders
// them: no block barrier between (shared memory; two barrier intervals), no warp synchronisation (threads of
// one warp), no grid-wide order (blocks of one launch).
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_MATCHERS_RACES_H
#define KCHECK_MATCHERS_RACES_H

#include "matchers/eval/Trace.h"

namespace kcheck {

struct Race {
  const eval::Access *First = nullptr, *Second = nullptr; ///< in the order of the run
  unsigned FirstThread = 0, SecondThread = 0;             ///< linear index in the block
  int64_t Offset = 0;                                     ///< bytes, in the object
  bool SameWarp = false;                                  ///< a warp synchronisation would do
  bool Sure = false;                                      ///< both certainly happen
  const eval::BlockRun *FirstBlock = nullptr, *SecondBlock = nullptr;
};

/// Races between threads of one block, in shared and in global memory. At most one a pair of expressions.
std::vector<Race> racesInBlock(const eval::KernelRun &Run, const eval::BlockRun &Block);

/// Races in global memory between the blocks that were run. Accesses ordered by atomics are left out.
std::vector<Race> racesBetweenBlocks(const eval::KernelRun &Run);

} // namespace kcheck
#endif
