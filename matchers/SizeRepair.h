//===- SizeRepair.h - sizes that a launcher lets through ------------------------===//
//
//   TORCH_CHECK(w.size(0) == channels && taps == 4 && n % 16 == 0)
//
// Sizes chosen at random are turned away by such a line, and the launch behind it is never tried. The comparison that
// turned them away says what was wrong: it is made to come out the other way, and the launcher is run again.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_MATCHERS_SIZEREPAIR_H
#define KCHECK_MATCHERS_SIZEREPAIR_H

#include "matchers/eval/Trace.h"

namespace kcheck {

/// A vector of sizes on its way to being let through.
struct SizeVector {
  std::vector<int64_t> Values;
  uint64_t Forced = 0; ///< bit i: size i has the only value that the launcher takes beside the others
};

/// Changes one size so that the last comparison of \p Refused comes out the other way. \p Aligned: keep to multiples of
/// 32 where the comparison leaves the choice. False where no size is known to decide it.
bool repairSizes(const eval::HostRun &Refused, SizeVector &V, bool Aligned);

} // namespace kcheck
#endif
