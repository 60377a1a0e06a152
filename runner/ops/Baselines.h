//===- Baselines.h - the hand-written kernels that candidates are timed against ---===//
#ifndef KCHECK_OPS_BASELINES_H
#define KCHECK_OPS_BASELINES_H

#include <string>
#include <string_view>
#include <vector>

namespace kcheck::ops {

/// The baseline of an operator: CUDA text whose launcher launch_<operator> takes the operator's arguments in order, element
/// type KCHECK_T (default float). It includes "baseline.cuh" (baselineHeader). Empty: none.
std::string_view baseline(std::string_view Operator);
std::string_view baselineHeader();
std::vector<std::string> operatorsWithBaseline();

} // namespace kcheck::ops
#endif
