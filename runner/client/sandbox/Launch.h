//===- Launch.h - start a command inside one mechanism ------------------------===//
#ifndef KCHECK_CLIENT_SANDBOX_LAUNCH_H
#define KCHECK_CLIENT_SANDBOX_LAUNCH_H

#include "runner/client/Sandbox.h"
#include "runner/client/sandbox/ProcessBound.h"
#include <sys/types.h>

namespace kcheck::client {

/// A started program: its streams and the process to watch and kill.
struct Started {
  pid_t Pid = -1;      ///< bwrap, or our supervisor
  int In = -1, Out = -1, Err = -1, Result = -1;
  int Status = -1;     ///< supervisor only: the wait status of the program arrives here
  ProcessGroup Group;  ///< holds the program and all that it starts; not valid where none could be made
  std::string Error;   ///< why nothing was started
};

Started launch(const SandboxCommand &Command, SandboxKind Kind, const std::string &Bubblewrap);

/// What the system gives every program to read, where it exists.
std::vector<std::string> systemReadPaths();

} // namespace kcheck::client
#endif
