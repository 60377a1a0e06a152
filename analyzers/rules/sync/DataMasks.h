//===- DataMasks.h - full masks where data tells the lanes apart ------------------===//
//
//   if (lane < row_ptr[r + 1] - row_ptr[r])                      // some rows have fewer than 32 entries
//     for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffff, v, o);
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_RULES_SYNC_DATAMASKS_H
#define KCHECK_RULES_SYNC_DATAMASKS_H

#include "matchers/VariableWrites.h"
#include "matchers/eval/Trace.h"

namespace kcheck {

/// The branch or loop around a warp operation that compares the lane's own number with data, so that some data parts the lanes
/// of one warp; null where there is none.
const eval::Control *partsLanes(const eval::WarpEvent &E, const VariableWrites &Writes);

} // namespace kcheck
#endif
