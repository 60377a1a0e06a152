//===- Probe.h - what this machine allows ------------------------------------------===//
#ifndef KCHECK_GPU_PROBE_H
#define KCHECK_GPU_PROBE_H

#include <string>

namespace kcheck::gpu {

/// JSON: driver, devices, compilers, counters and compute-sanitizer, each there or why not. Never fails.
std::string probeText(bool Deep);
int deviceCount();
/// The devices by number, name and architecture as JSON, without a context on any; why there are none.
std::string listText();

} // namespace kcheck::gpu
#endif
