//===- Statistics.h - medians, quartiles and what a ratio of two timings is worth ---===//
#ifndef KCHECK_GPU_STATISTICS_H
#define KCHECK_GPU_STATISTICS_H

#include "runner/protocol/Measure.h"
#include <cstdint>
#include <utility>
#include <vector>

namespace kcheck::gpu {

/// Value at fraction Q of the sorted samples, between neighbours in proportion. 0 for no samples.
double quantile(std::vector<double> Samples, double Q);
double median(const std::vector<double> &Samples);
/// Mean of the middle half: as robust as the median here, and finer than the events' clock.
double middleMean(std::vector<double> Samples);
protocol::Timing summarizeTimes(const std::vector<double> &Ms);

/// 95 % interval of middleMean(A) / middleMean(B) by resampling both; the same seed gives the same interval.
std::pair<double, double> bootstrapRatio(const std::vector<double> &A, const std::vector<double> &B, uint64_t Seed, unsigned Rounds = 1000);

} // namespace kcheck::gpu
#endif
