//===- Probe.h - what this machine offers -------------------------------------===//
//
// Each probe says what it found and what follows from it for a check. Probes that call into a driver run in a
// process of their own, for a few seconds at most.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_TOOLS_KCHECK_PROBE_H
#define KCHECK_TOOLS_KCHECK_PROBE_H

#include <string>
#include <vector>

namespace kcheck::cli {

struct Probe {
  std::string Name; ///< "nvcc"
  bool Found = false;
  std::string What;    ///< "13.0 in /usr/local/cuda", or "none"
  std::string Follows; ///< what kcheck can or cannot do because of it
};

std::vector<Probe> probeMachine();

} // namespace kcheck::cli
#endif
