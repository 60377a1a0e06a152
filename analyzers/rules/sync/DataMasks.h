//===- DataMasks.h - full masks where data tells the lanes apart ------------------===//
//
//   if (lane < row_ptr[r + 1] - row_ptr[r])                      // some rows have fewer than 32 entries
//     for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffff, v, o);
//   if (other > best) at = __shfl_down_sync(0xffffffff, at, o);  // other: another lane's best
//   if (x[i] > 0) r = fmaxf(x[i], __shfl_down_sync(0xffffffff, x[i], 1));
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_RULES_SYNC_DATAMASKS_H
#define KCHECK_RULES_SYNC_DATAMASKS_H

#include "matchers/VariableWrites.h"
#include "matchers/eval/Trace.h"

namespace kcheck {

/// What parts the lanes of one warp by some data.
struct Parting {
  const eval::Control *Where = nullptr; ///< the branch or loop around the operation; null where there is none
  bool Own = false;                     ///< it asks an element of each lane's own, rather than the lane's number
};

/// \p B: what the block of the warp operation did.
Parting partsLanes(const eval::WarpEvent &E, const eval::BlockRun &B, const VariableWrites &Writes);

} // namespace kcheck
#endif
