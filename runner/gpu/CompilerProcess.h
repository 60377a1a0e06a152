//===- CompilerProcess.h - NVRTC in a process without a device --------------------------===//
//
//   CompileRequest ─► one line of JSON ─► kcheck-gpu --compile ─► NVRTC ─► Binary
//
// A process that holds a context compiles up to five times slower, and a compiler that a hostile source crashes or hangs must
// not take the context along.
//
//===--------------------------------------------------------------------------------===//
#ifndef KCHECK_GPU_COMPILERPROCESS_H
#define KCHECK_GPU_COMPILERPROCESS_H

#include "runner/gpu/Compile.h"
#include <sys/types.h>

namespace kcheck::gpu {

class CompilerProcess {
public:
  CompilerProcess() = default;
  ~CompilerProcess() { end(); }
  CompilerProcess(const CompilerProcess &) = delete;
  CompilerProcess &operator=(const CompilerProcess &) = delete;
  /// Starts it while nobody waits.
  void start();
  /// By NVRTC; a crash or a compile that takes too long is a failure to compile. Nothing: no process could be started.
  std::optional<Binary> compile(const CompileRequest &R);

private:
  void end();
  bool readAnswer(double Seconds, std::string &Out, std::string &Why);
  pid_t Pid = -1;
  int In = -1, Out = -1;
};

/// The process' own loop: requests from stdin, answers to stdout. Exit status.
int serveCompiler();

} // namespace kcheck::gpu
#endif
