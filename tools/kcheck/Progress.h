//===- Progress.h - one line that says how far a long run is ------------------===//
#ifndef KCHECK_TOOLS_KCHECK_PROGRESS_H
#define KCHECK_TOOLS_KCHECK_PROGRESS_H

#include <chrono>
#include <cstddef>

namespace kcheck::cli {

/// On a terminal, "checked 12 of 300 files" on stderr, rewritten in place from the first second on; elsewhere
/// nothing.
class Progress {
public:
  Progress(size_t Total, bool Quiet);
  ~Progress(); ///< wipes the line
  void show(size_t Done);

private:
  size_t Total;
  bool Show, Drawn = false;
  std::chrono::steady_clock::time_point Start, Last;
};

} // namespace kcheck::cli
#endif
