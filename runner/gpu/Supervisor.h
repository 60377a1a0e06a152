//===- Supervisor.h - keeps worker processes behind one stream of jobs ----------------===//
//
//   jobs, a line each ─► the child in use ─► answers, a line each
//                        others compile what comes later, without a device
//                        a spare one, its context made, takes over when the first is lost to a fault or a hang
//
// The supervisor itself never touches a device.
//
//===--------------------------------------------------------------------------------===//
#ifndef KCHECK_GPU_SUPERVISOR_H
#define KCHECK_GPU_SUPERVISOR_H

#include "runner/gpu/CompileAhead.h"
#include "runner/protocol/Job.h"
#include "runner/protocol/Result.h"
#include <atomic>
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
  enum class Role { Answers, CompilesAhead };
  Child(int Device, std::string Program, Confinement In = {}, Role As = Role::Answers) : Device(Device), Program(std::move(Program)), Within(std::move(In)), As(As) {}
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
  Role As;
  pid_t Pid = -1;
  int In = -1, Out = -1;
  std::string Pending;
};

class Supervisor {
public:
  /// Program: what is started as a child with --child --device N --answer-fd 3.
  explicit Supervisor(int Device, std::string Program = "/proc/self/exe", bool KeepSpare = true, Confinement In = {})
      : Device(Device), Program(std::move(Program)), Within(std::move(In)), KeepSpare(KeepSpare), Ahead(Helpers.size(), [this](unsigned Slot, const std::string &Job) { compile(Slot, Job); }) {}
  ~Supervisor() { Ending = true; }
  /// Answers one job; a child's death is a result.
  std::string answer(const std::string &Line, const Cancel &Cancelled = nullptr);
  /// A job that will be asked for later: it is compiled meanwhile, several at a time. May be called while another one is answered.
  void expect(const std::string &Line) { Ahead.expect(Line); }
  /// None of them will.
  void forget() { Ahead.forget(); }
  /// Children that were lost so far.
  unsigned replaced() const { return Replaced; }

private:
  static unsigned helpers();
  void replace();
  void compile(unsigned Slot, const std::string &Line);
  int Device;
  std::string Program;
  Confinement Within;
  unsigned Replaced = 0;
  std::vector<pid_t> Late; ///< killed, not gone yet
  bool KeepSpare;
  std::unique_ptr<Child> Current, Spare;
  std::atomic<bool> Ending{false};
  std::vector<std::unique_ptr<Child>> Helpers = std::vector<std::unique_ptr<Child>>(helpers());
  CompileAhead Ahead; ///< last: it ends first
};

} // namespace kcheck::gpu
#endif
