//===- Worker.h - answers jobs on one device --------------------------------------===//
//
//   Job ─► compile, or take what compileAhead left in the cache ─► run, between red zones ─► run again on other poison ─► sanitizers ─► judge, time, count ─► Result
//
// The first failure ends a job. A fault that costs the context ends the process too: whoever runs workers
// (Supervisor.h) has the next one ready.
//
//===------------------------------------------------------------------------------===//
#ifndef KCHECK_GPU_WORKER_H
#define KCHECK_GPU_WORKER_H

#include "runner/gpu/CompilerProcess.h"
#include "runner/gpu/HostCode.h"
#include "runner/gpu/Watchdog.h"
#include <list>

namespace kcheck::gpu {

struct WorkerOptions {
  int Device = 0;
  /// Writes a result where answers go; used by the watchdog, which then ends the process.
  std::function<void(const protocol::Result &)> Answer;
  int PrintedFd = -1; ///< file behind stdout, from which printf's text is taken; -1: not taken
  bool Bare = false;  ///< run once without zones and repeats (under compute-sanitizer)
};

/// Status with which a process ends after a hang.
inline constexpr int HangStatus = 4;

/// What of a job is compiled, for a device.
CompileRequest compileRequest(const protocol::Job &J, const Device &G);
/// Compiles a job and runs nothing: who runs it later finds the outcome in the cache. Needs no context.
protocol::Result compileAhead(const protocol::Job &J, const Device &G, const Cache &Files);

class Worker {
public:
  explicit Worker(WorkerOptions Options) : Options(std::move(Options)) {}
  protocol::Result run(const protocol::Job &J);
  /// Opens the device before the first job; a reason when there is none.
  std::string warmUp();
  /// After a fault that cost the context.
  bool lost() const { return G && G->lost(); }

private:
  Loaded &loaded(const protocol::Job &J, protocol::Result &R);
  void execute(const protocol::Job &J, Loaded &Code, protocol::Result &R);
  void repeat(const protocol::Job &J, Loaded &Code, Buffers &First, const FillBytes &Same, protocol::Result &R);
  void runOnce(const protocol::Job &J, Loaded &Code, Buffers &B, const FillBytes &F, protocol::Result &R, std::vector<protocol::Finding> &Out);
  void outputs(const protocol::Job &J, Buffers &B, protocol::Result &R);
  std::string printed();
  void hang(const protocol::Result &R, std::string Why);

  WorkerOptions Options;
  std::unique_ptr<Device> G;
  std::list<std::pair<std::string, std::unique_ptr<Loaded>>> Modules; ///< by key, latest first
  std::set<std::string> Validated;
  std::unique_ptr<HostCode> Host; ///< of the job at hand, where it calls the launcher
  CompilerProcess Compiler;
  Watchdog Dog;
};

} // namespace kcheck::gpu
#endif
