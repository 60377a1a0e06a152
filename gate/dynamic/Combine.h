//===- Combine.h - one report out of several devices' ------------------------------------===//
#ifndef KCHECK_GATE_DYNAMIC_COMBINE_H
#define KCHECK_GATE_DYNAMIC_COMBINE_H

#include "analyzers/engine/output/Report.h"

namespace kcheck::gate {

/// The report of the device with the worst verdict, with every device's under dynamic.devices and, where at least one was
/// timed against a baseline, dynamic.score: the speed as a multiple of the baseline's, worst and geometric mean. At least one.
FileReport combine(std::vector<FileReport> Each);

} // namespace kcheck::gate
#endif
