//===- Process.h - the process of a candidate's host code, from outside --------===//
//
//   worker ── Wire ──► the process: calls of the launcher
//          ◄─ Wire ──  calls of the runtime
//          ◄─ print ─  what it writes to its standard output and error
//          ◄─ bait ──  what it writes to the descriptor where a worker's answer usually goes
//
// The process holds no other descriptor of the worker's.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_GUEST_PROCESS_H
#define KCHECK_GUEST_PROCESS_H

#include "runner/guest/Wire.h"
#include <functional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace kcheck::guest {

/// The child's ends.
struct Pipes {
  int In = -1, Out = -1; ///< the wire
  int Print = -1, Bait = -1;
};

/// In the child, safe between fork and exec: every descriptor goes to its place and all others are closed. The wire goes
/// where a loop over small numbers does not meet it. Ends the process where it cannot be done.
Wire arrange(Pipes P);

class GuestProcess {
public:
  GuestProcess() = default;
  ~GuestProcess() { end(); }
  GuestProcess(const GuestProcess &) = delete;
  GuestProcess &operator=(const GuestProcess &) = delete;

  /// Forks. Child does not return.
  bool start(const std::function<void(Pipes)> &Child);
  /// Kills it; its exit status where it had ended by itself, else -1.
  int end();
  Wire &wire() { return W; }
  /// Until there is something to read on the wire. False: not before Until. What the process prints meanwhile is taken, or it would wait.
  bool wait(Wire::Clock::time_point Until);
  /// What it has printed since the last time.
  std::string takePrinted();
  /// What it did to have an answer of its own taken for the worker's since the last time: messages of cheat_channel.
  std::vector<std::string> takeForged();

private:
  void drain(bool OfBait);
  Wire W;
  pid_t Pid = -1;
  int Print = -1, Bait = -1;
  bool PrintOpen = true, BaitOpen = true;
  std::string Printed, Baited;
};

} // namespace kcheck::guest
#endif
