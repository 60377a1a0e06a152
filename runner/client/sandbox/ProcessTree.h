//===- ProcessTree.h - what a program and its descendants use -----------------===//
#ifndef KCHECK_CLIENT_SANDBOX_PROCESSTREE_H
#define KCHECK_CLIENT_SANDBOX_PROCESSTREE_H

#include <cstdint>
#include <string>
#include <sys/types.h>
#include <vector>

namespace kcheck::client {

struct TreeUse {
  uint64_t Bytes = 0; ///< anonymous and shared memory in RAM
  unsigned Processes = 0;
};

/// Sums over Root and all its descendants.
TreeUse useOfTree(pid_t Root);
/// Bytes of all regular files below Folder.
uint64_t bytesBelow(const std::string &Folder);
/// Kills every child of the calling process and waits, again and again until none is left: with the
/// subreaper flag set that takes all descendants. Safe between fork and exec (no allocation).
void killAllChildren();

} // namespace kcheck::client
#endif
