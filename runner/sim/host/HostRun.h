//===- HostRun.h - runs a whole CUDA program on the simulator -----------------===//
#ifndef KCHECK_SIM_HOST_HOSTRUN_H
#define KCHECK_SIM_HOST_HOSTRUN_H

#include "runner/protocol/Job.h"
#include "runner/protocol/Result.h"
#include <functional>
#include <string>
#include <vector>

namespace kcheck::sim {

class HostDevice;

struct HostJob {
  std::vector<std::string> Files;     ///< absolute paths; the first one's folder is the root
  std::vector<std::string> Arguments; ///< of the program
  std::vector<std::string> Defines, CompilerArgs;
  std::string Arch = "sm_80", Standard = "c++17";
  protocol::Checks Checks;
  protocol::Limits Limits;
};

/// Compiles the program, runs its main(), gives the result to Write and ends the process.
[[noreturn]] void runProgram(const HostJob &J, std::function<void(const protocol::Result &)> Write);

// Between the parts
extern int HostExitStatus;
void startProcess(HostDevice &D, double Seconds, std::function<void(const protocol::Result &)> Write);

} // namespace kcheck::sim
#endif
