//===- PlanBudget.h - how much the launch plans are tried ---------------------------===//
//
// Rules want every size at which a kernel could fail. Whoever only compares two texts of the same kernel, in a moment,
// is content with a few that differ in kind, with the launches as they are and the first and last blocks of their
// grids, and with nothing at all of a kernel that takes long. Holds for models whose plans are made while the object lives, on
// its thread.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_MATCHERS_PLANBUDGET_H
#define KCHECK_MATCHERS_PLANBUDGET_H

#include "llvm/ADT/SmallPtrSet.h"
#include <cstdint>
#include <utility>
#include <vector>

namespace kcheck {

class PlanBudget {
public:
  explicit PlanBudget(unsigned MostPerLauncher, double Share = 1.0 / 3); ///< of the usual steps of a run
  ~PlanBudget();
  PlanBudget(const PlanBudget &) = delete;
  PlanBudget &operator=(const PlanBudget &) = delete;

  static bool active();
  /// Sizes of a launcher, and whether they fit every block. Within the budget stay one that fits, one where as few sizes
  /// as possible do, and some of the others; none that is large.
  static void keepFew(std::vector<std::pair<std::vector<int64_t>, bool>> &Sizes);
  /// How many steps a run may take, of the usual number.
  static unsigned steps(unsigned Usual);
  /// A grid of at most so many blocks is run whole.
  static unsigned wholeGrid(unsigned Usual);
  /// A run of this kernel did not end in time: another size hardly would.
  static void tookTooLong(const void *Kernel);
  static bool takesTooLong(const void *Kernel);

private:
  unsigned Most;
  double Share;
  llvm::SmallPtrSet<const void *, 4> Long;
  PlanBudget *Outer;
};

} // namespace kcheck
#endif
