//===- Watch.h - one started command, from its input to its end ----------------===//
#ifndef KCHECK_CLIENT_SANDBOX_WATCH_H
#define KCHECK_CLIENT_SANDBOX_WATCH_H

#include "runner/client/sandbox/Launch.h"

namespace kcheck::client {

/// Feeds a program, collects what it writes, keeps it within its limits. One use.
class Watch {
public:
  /// Wake: a descriptor that becomes readable when Command.Cancelled() should be asked at once; -1: none.
  Watch(const SandboxCommand &Command, SandboxKind Kind, Started Program, int Wake = -1);
  SandboxResult run();

private:
  void feed();
  void drain(int &FD, std::string &Into, size_t &Seen, const std::function<void(std::string_view)> &Arrived);
  void checkLimits(double Elapsed);
  void stop(Outcome How, std::string Why);
  void reap(bool Block);
  void conclude();

  const SandboxCommand &C;
  Started S;
  int Wake;
  SandboxResult R;
  size_t Fed = 0, SeenOut = 0, SeenErr = 0, SeenResult = 0;
  bool Ended = false, Killed = false;
  int WaitStatus = 0;
};

} // namespace kcheck::client
#endif
