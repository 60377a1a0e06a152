//===- Filter.h - system calls that no sandboxed program needs ----------------===//
#ifndef KCHECK_CLIENT_SANDBOX_FILTER_H
#define KCHECK_CLIENT_SANDBOX_FILTER_H

#include <string>
#include <sys/types.h>
#include <vector>

namespace kcheck::client {

/// The filter as a BPF program (struct sock_filter[]), empty where this build has no libseccomp.
/// Shared: the program runs among the host's processes and files (landlock), so signals to Protected and
/// changes of file modes are refused too. Forks: the program may start processes; threads it always may.
std::string systemCallFilter(bool Shared, bool Forks, const std::vector<pid_t> &Protected);
bool haveSystemCallFilter();

} // namespace kcheck::client
#endif
