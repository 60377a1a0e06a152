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
#include <memory>
#include <string>
#include <sys/types.h>
#include <vector>

namespace kcheck::gpu {

/// One worker process.
class Child {
public:
  explicit Child(int Device) : Device(Device) {}
  ~Child() { end(); }
  Child(const Child &) = delete;
  Child &operator=(const Child &) = delete;
  bool start(std::string &Why);
  void end();
  bool running() const { return Pid > 0; }
  /// Sends a line and waits for a line; false and a reason when the child died or gave none in time.
  bool ask(const std::string &Line, double Seconds, std::string &Answer, std::string &Why);
  /// Whether it said that it cannot be used again.
  bool Spent = false;

private:
  int Device;
  pid_t Pid = -1;
  int In = -1, Out = -1;
  std::string Pending;
};

class Supervisor {
public:
  explicit Supervisor(int Device, bool KeepSpare = true) : Device(Device), KeepSpare(KeepSpare) {}
  /// Answers one job; a child's death is a result.
  std::string answer(const std::string &Line);

private:
  void replace();
  int Device;
  bool KeepSpare;
  std::unique_ptr<Child> Current, Spare;
};

} // namespace kcheck::gpu
#endif
