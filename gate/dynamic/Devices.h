//===- Devices.h - where jobs run -------------------------------------------------------===//
//
//   "sim" ─► a confined worker a batch     "gpu", "gpu:2" ─► kcheck-gpu, kept running     "gpu:all" ─► one each GPU
//   "https://host:port" ─► kcheck-gpu serve, one lane each GPU there     "gpu:0,https://…" ─► a verdict on each
//
// A Target is one of them: its lanes are as good as each other, and a candidate stays on one. All that is missing is said
// when it is opened, not when the first candidate needs it.
//
//===--------------------------------------------------------------------------------===//
#ifndef KCHECK_GATE_DYNAMIC_DEVICES_H
#define KCHECK_GATE_DYNAMIC_DEVICES_H

#include "gate/dynamic/Answers.h"
#include "runner/protocol/Job.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <mutex>

namespace kcheck::gate {

/// Runs the jobs of one candidate after another.
class Lane {
public:
  virtual ~Lane() = default;
  virtual Answers run(std::vector<protocol::Job> Jobs, bool StopAtFault) = 0;
  /// Jobs are about to come: whatever takes time before the first of them may begin.
  virtual void expect(bool StopAtFault) {}
  /// Whatever can be done for jobs while others run: they compile. By any thread.
  virtual void prepare(const std::vector<protocol::Job> &Jobs) {}
};

class Target {
public:
  std::string Name; ///< "sim", "gpu:0", "gpu:all", a URL
  std::string Arch; ///< of its first device; empty: not known
  std::vector<std::unique_ptr<Lane>> Lanes;
  bool Gpu = false; ///< jobs need the device half of the text
  bool Local = true;

  /// A lane for one candidate: the one that the fewest others have.
  class Seat {
  public:
    explicit Seat(Target &T);
    ~Seat();
    Seat(const Seat &) = delete;
    Seat &operator=(const Seat &) = delete;
    /// Waits while another candidate's jobs run on the lane, and compiles meanwhile.
    Answers run(std::vector<protocol::Job> Jobs, bool StopAtFault);

  private:
    Target &T;
    size_t At = 0;
  };

private:
  struct Use {
    unsigned Seats = 0;
    std::mutex Running;
  };
  std::mutex Lock;
  std::vector<std::unique_ptr<Use>> Uses;
};

/// "sim", "gpu", "gpu:N", "gpu:all" or a URL; the worker's programs are found, devices counted, remotes asked.
llvm::Expected<std::unique_ptr<Target>> openTarget(llvm::StringRef Name);
/// The words of a --device list; an error names the one that is no device.
llvm::Expected<std::vector<std::string>> deviceWords(llvm::StringRef List);

} // namespace kcheck::gate
#endif
