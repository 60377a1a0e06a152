//===- Parallel.h - a loop over all cores --------------------------------------===//
#ifndef KCHECK_OPS_PARALLEL_H
#define KCHECK_OPS_PARALLEL_H

#include <cstdint>
#include <functional>

namespace kcheck::ops {

/// Calls F(begin, end) on pieces of [0, N), on all cores when N is at least two grains. The pieces are
/// the same whatever the number of cores, and each is computed in order: results never depend on it.
void parallelFor(int64_t N, int64_t Grain, const std::function<void(int64_t, int64_t)> &F);

} // namespace kcheck::ops
#endif
