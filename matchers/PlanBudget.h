//===- PlanBudget.h - how many sizes the launch plans are tried at ----------------===//
//
// Rules want every size at which a kernel could fail. Whoever only compares two texts of the same kernel, in a moment,
// is content with a few that differ in kind. Holds for models whose plans are made while the object lives, on its thread.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_MATCHERS_PLANBUDGET_H
#define KCHECK_MATCHERS_PLANBUDGET_H

#include <cstdint>
#include <utility>
#include <vector>

namespace kcheck {

class PlanBudget {
public:
  explicit PlanBudget(unsigned MostPerLauncher);
  ~PlanBudget();
  PlanBudget(const PlanBudget &) = delete;
  PlanBudget &operator=(const PlanBudget &) = delete;

  /// Sizes of a launcher, and whether they fit every block. Within the budget stay one that fits, one where as few sizes
  /// as possible do, and some of the others; none that is large.
  static void keepFew(std::vector<std::pair<std::vector<int64_t>, bool>> &Sizes);

private:
  unsigned Before;
};

} // namespace kcheck
#endif
