//===- Process.h - a compiler or a tool as a child with limits -----------------===//
#ifndef KCHECK_GPU_PROCESS_H
#define KCHECK_GPU_PROCESS_H

#include <string>
#include <utility>
#include <vector>

namespace kcheck::gpu {

struct ProcessResult {
  bool Started = false, TimedOut = false;
  int Status = -1; ///< exit status; 128 + signal when it was killed
  std::string Out; ///< stdout and stderr together, at most 4 MiB
};

/// Runs Argv with Input on stdin and Extra in its environment; the whole process group is killed after Seconds.
ProcessResult runProcess(const std::vector<std::string> &Argv, const std::string &Input, double Seconds,
                         const std::vector<std::pair<std::string, std::string>> &Extra = {});

/// A private folder below the temporary directory, removed with its contents by the destructor.
class TemporaryFolder {
public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;
  const std::string &path() const { return Path; } ///< empty: none could be made
  /// Writes a file below it, with its folders; a name that leaves the folder is refused.
  bool write(const std::string &Name, const std::string &Text) const;

private:
  std::string Path;
};

bool writeWhole(int FD, const std::string &Text);
std::string readWhole(const std::string &File, bool &Ok);

} // namespace kcheck::gpu
#endif
