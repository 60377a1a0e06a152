//===- ThreadOrder.h - order that threads make by atomics and fences -----------===//
//
//   while (atomicCAS(&lock, 0, 1) != 0) {}      data[0] = 1;
//   __threadfence();                            __threadfence();
//   data[0] += x;                               atomicExch(&flag, 1);                // handed over: one thread announces,
//   __threadfence();                            …
//   atomicExch(&lock, 0);                       while (atomicAdd(&flag, 0) == 0) {}  // another waits
//
// Atomics of the C interface order nothing but themselves, and those with _block hold within a block only: without a fence of
// the width that the threads are apart, or with an access outside, the order is not there.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_MATCHERS_THREADORDER_H
#define KCHECK_MATCHERS_THREADORDER_H

#include "matchers/eval/Trace.h"

namespace kcheck {

struct OrderFault {
  enum Kind : uint8_t {
    NarrowAtomic,   ///< At: an atomic for one block; Other: what another block does at the place
    NoAcquireFence, ///< At: the first access under a lock; Other: where the lock is taken
    NoReleaseFence, ///< At: the last store under a lock or before an announcement; Other: the
                    ///< release
    OutsideLock,    ///< At: a store without the lock; Other: an access with it
    AfterHandover ///< At: an access after the announcement; Other: the access of whoever waited for
                  ///< it
  } K;
  const eval::Access *At = nullptr, *Other = nullptr;
  bool BetweenBlocks = false; ///< the threads are of different blocks
  bool Narrow = false;        ///< there is a fence, of too small a scope
};

/// What is wrong with the order that the threads of the run make; one a kind and expression. None
/// where code that is not shown, or a barrier of the whole grid, may make another.
std::vector<OrderFault> orderFaults(const eval::KernelRun &Run);

/// Do two threads of the block make these accesses under one lock?
bool underOneLock(const eval::KernelRun &Run, const eval::BlockRun &Block, const eval::Access &A,
                  unsigned ThreadA, const eval::Access &B, unsigned ThreadB);

} // namespace kcheck
#endif
