//===- Landlock.h - which files a process may open ----------------------------===//
#ifndef KCHECK_CLIENT_SANDBOX_LANDLOCK_H
#define KCHECK_CLIENT_SANDBOX_LANDLOCK_H

#include <string>
#include <vector>

namespace kcheck::client {

/// The kernel's landlock version, 0 where there is none.
int landlockAbi();

/// A ruleset as a descriptor: Read may be read and run, Write may be changed, Devices opened both ways; all else is
/// closed, as are TCP, abstract sockets and signals to the outside where the kernel can. -1 on failure.
int makeLandlockRules(const std::vector<std::string> &Read, const std::vector<std::string> &Write,
                      const std::vector<std::string> &Devices);

/// Puts the calling thread under the rules. Safe between fork and exec.
bool enterLandlock(int Rules);

} // namespace kcheck::client
#endif
