//===- Session.h - the dynamic track for programs: task, device, worker ----------------===//
//
//   --task / --op / --device ─► Session::open (all that can be wrong is said here) ─► check() a file
//
//===--------------------------------------------------------------------------------===//
#ifndef KCHECK_GATE_SESSION_H
#define KCHECK_GATE_SESSION_H

#include "gate/dynamic/Dynamic.h"
#include "runner/client/Worker.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <mutex>

namespace kcheck::gate {

struct SessionOptions {
  std::string TaskFile, Op; ///< at most one
  std::string Device; ///< "sim", "gpu[:N]", "none"; empty: sim, where its worker is installed
  std::string Seed;           ///< a number; empty: a fresh one each check
  bool KeepGoing = false;
  ParseOptions Parse;
};

class Session {
public:
  /// The error has a line for each thing that is wrong.
  static llvm::Expected<std::unique_ptr<Session>> open(const SessionOptions &O);
  ~Session();

  /// The dynamic track of one file, whose static track is done; concludes the report. Rules weighs what it finds.
  void check(FileReport &F, const Policy &Rules) const;

private:
  Session() = default;
  std::vector<protocol::Result> runOnGpu(const FileReport &F, const DynamicOptions &O, std::vector<protocol::Job> Jobs, bool StopAtFault) const;

  DynamicOptions Options;
  std::string NoDevice; ///< why nothing can run; empty: it can
  std::string Worker;   ///< the program that runs jobs
  std::unique_ptr<client::Worker> Gpu; ///< of a GPU device
  mutable std::mutex Lock;
};

} // namespace kcheck::gate
#endif
