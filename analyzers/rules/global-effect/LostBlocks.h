//===- LostBlocks.h - blocks that work and leave nothing ------------------------===//
//
//   if (threadIdx.x == 0 && blockIdx.x == 0) y[blockIdx.x] = s[0];    // rows 1 and on have been added up for nothing
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_RULES_GLOBALEFFECT_LOSTBLOCKS_H
#define KCHECK_RULES_GLOBALEFFECT_LOSTBLOCKS_H

#include "analyzers/engine/Rule.h"
#include "matchers/LaunchModel.h"

namespace kcheck::effects {

/// Reports `result_kept_local`, once a kernel: the first block of a grid that grows with the data writes, and all others read their
/// part and write nothing, at every size.
void checkLostBlocks(RuleContext &Ctx, LaunchModel &M);

} // namespace kcheck::effects
#endif
