//===- ProcessBound.h - a bound on processes that even root cannot pass --------===//
//
// RLIMIT_NPROC does not bind root, and a watcher that polls loses against a fork bomb. Where this process may make
// control groups (root, containers, delegated sessions) a program gets one of its own with pids.max; an ordinary
// user's programs are bounded by RLIMIT_NPROC, counted on top of what the user runs already.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_CLIENT_SANDBOX_PROCESSBOUND_H
#define KCHECK_CLIENT_SANDBOX_PROCESSBOUND_H

#include <string>

namespace kcheck::client {

/// A control group of the pids controller, version 1 or 2; removed, with all that still runs in it, by the destructor.
class ProcessGroup {
public:
  ProcessGroup() = default;
  ProcessGroup(ProcessGroup &&Other) noexcept;
  ProcessGroup &operator=(ProcessGroup &&Other) noexcept;
  ~ProcessGroup();

  /// A new group for at most Max processes and threads; not valid() where none can be made.
  static ProcessGroup make(unsigned Max);
  bool valid() const { return !Folder.empty(); }
  /// Writing "0" here moves the writer into the group. The caller closes it. -1 on failure.
  int openEntry() const;
  /// Kills every member, again and again until the group is empty or a second has passed.
  void killAll() const;

private:
  std::string Folder;
};

/// Threads that the calling user runs now (what RLIMIT_NPROC counts).
unsigned threadsOfThisUser();

} // namespace kcheck::client
#endif
