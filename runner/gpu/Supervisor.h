//===- Supervisor.h - keeps worker processes behind one stream of jobs ----------------===//
//
//   jobs, a line each ─► the child in use ─► answers, a line each
//                        a spare one, its context made, takes over when the first is lost to a fault or a hang
//
// The supervisor itself never touches a device.
//
//===--------------------------------------------------------------------------------===//
#ifndef KCHECK_GPU_SUPERVISOR_H
#define KCHECK_GPU_SUPERVISOR_H

#include "runner/protocol/Job.h"
#include "runner/protocol/Result.h"
#include <functional>
#include <memory>
#include <string>
#include <sys/types.h>
#include <vector>

namespace kcheck::gpu {

/// Asked a few times a second while a job runs; true: its worker is killed.
using Cancel = std::function<bool()>;

/// What workers are held to.
struct Confinement {
  std::function<bool()> Enter; ///< by the child, before it becomes the program; false ends it. Empty: nothing to enter
  std::string Temporary;       ///< its folder for temporary files; empty: the usual one
};

/// One worker process.
class Child {
public:
  Child(int Device, std::string Program, Confinement In = {}) : Device(Device), Program(std::move(Program)), Within(std::move(In)) {}
  ~Child() { end(); }
  Child(const Child &) = delete;
  Child &operator=(const Child &) = delete;
  bool start(std::string &Why);
  /// Kills it. Its id where it is not gone yet and must be collected later, else 0.
  pid_t end();
  bool running() const { return Pid > 0; }
  /// Sends a line and waits for a line; false and a reason when the child died or gave none in time.
  bool ask(const std::string &Line, double Seconds, std::string &Answer, std::string &Why, const Cancel &Cancelled);

private:
  int Device;
  std::string Program;
  Confinement Within;
  pid_t Pid = -1;
  int In = -1, Out = -1;
  std::string Pending;
};

class Supervisor {
public:
  /// Program: what is started as a child with --child --device N --answer-fd 3.
  explicit Supervisor(int Device, std::string Program = "/proc/self/exe", bool KeepSpare = true, Confinement In = {})
      : Device(Device), Program(std::move(Program)), Within(std::move(In)), KeepSpare(KeepSpare) {}
  /// Answers one job; a child's death is a result.
  std::string answer(const std::string &Line, const Cancel &Cancelled = nullptr);
  /// Children that were lost so far.
  unsigned replaced() const { return Replaced; }

private:
  void replace();
  int Device;
  std::string Program;
  Confinement Within;
  unsigned Replaced = 0;
  std::vector<pid_t> Late; ///< killed, not gone yet
  bool KeepSpare;
  std::unique_ptr<Child> Current, Spare;
};

} // namespace kcheck::gpu
#endif
