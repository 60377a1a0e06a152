//===- Program.h - a whole CUDA program on the simulator ------------------------------===//
//
// Its own main runs, in the sandbox, in a worker process of its own (kcheck-sim --program).
//
//===------------------------------------------------------------------------------------===//
#ifndef KCHECK_GATE_DYNAMIC_PROGRAM_H
#define KCHECK_GATE_DYNAMIC_PROGRAM_H

#include "runner/protocol/Result.h"
#include <optional>
#include <string>
#include <vector>

namespace kcheck::gate {

struct ProgramRun {
  std::vector<std::string> Files; ///< .cu files, and .cpp files that belong to them
  std::vector<std::string> Includes, Defines, Data, Arguments;
  std::string Arch = "sm_80", Standard = "c++17";
  double Seconds = 120;
  unsigned MemoryMb = 16384;
};

struct ProgramResult {
  protocol::Result R;
  std::string Printed, Errors;
};

/// Nothing, and why, where it cannot be started. A worker that ends without an answer is a result.
std::optional<ProgramResult> runProgram(const ProgramRun &P, std::string &Why);

} // namespace kcheck::gate
#endif
