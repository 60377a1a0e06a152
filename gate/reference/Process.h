//===- Process.h - a program of the user's, confined ----------------------------------===//
#ifndef KCHECK_GATE_REFERENCE_PROCESS_H
#define KCHECK_GATE_REFERENCE_PROCESS_H

#include <cstdint>
#include <string>
#include <vector>

namespace kcheck::gate {

struct Confinement {
  std::string Writable; ///< the one folder that it may write to
  std::vector<std::string> Readable; ///< besides the system's
  unsigned Processes = 1;
  double Seconds = 10;
  uint64_t MemoryMb = 4096;
};

struct ProcessResult {
  std::string Error;     ///< empty: it ended with status 0
  std::string FirstLine; ///< the first line of its diagnostics that says error, else the first
};

/// Runs a program (an absolute path) in the sandbox that workers run in, within time and memory. Its standard output goes nowhere.
ProcessResult runConfined(std::vector<std::string> Command, const Confinement &C);

} // namespace kcheck::gate
#endif
