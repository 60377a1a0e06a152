//===- Call.h - one call of a tool, in a process of its own ---------------------===//
//
//   Call::start ── fork ──► child: own process group, stdin empty, stdout is stderr, own TMPDIR ─► Tool::Run
//        ▲                                                             └─► "P…" progress, "A…" or "F…" the answer
//        └── take(): what came over the pipe; the destructor ends whatever still runs and removes the folder
//
//===----------------------------------------------------------------------------===//
#ifndef KCHECK_AGENT_MCP_CALL_H
#define KCHECK_AGENT_MCP_CALL_H

#include "agent/mcp/Tool.h"
#include <chrono>
#include <memory>
#include <optional>
#include <sys/types.h>
#include <vector>

namespace kcheck::mcp {

class Call {
public:
  /// Null where no process can be had. Not to be called while this process has other threads.
  static std::unique_ptr<Call> start(const Tool &T, const std::string &Arguments);
  ~Call();
  Call(const Call &) = delete;
  Call &operator=(const Call &) = delete;

  int descriptor() const { return Fd; } ///< readable when there is something to take
  /// Reads what is there: messages of progress are added to Progress; the answer, once it is complete or the process has ended.
  std::optional<Answer> take(std::vector<std::string> &Progress);
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - Started).count(); }

private:
  Call() = default;
  std::optional<Answer> scan(std::vector<std::string> &Progress);
  Answer ended();
  void stop();

  pid_t Pid = -1;
  int Fd = -1;
  std::string Pending, Folder;
  std::chrono::steady_clock::time_point Started = std::chrono::steady_clock::now();
};

} // namespace kcheck::mcp
#endif
