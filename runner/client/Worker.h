//===- Worker.h - a worker process that runs jobs -----------------------------===//
//
//   Worker::start ─ fork, exec ─► kcheck-sim --serve --answer-fd N
//   run(Job) ── one line of JSON on its stdin ──►   ◄── one line of JSON on descriptor N
//
// Its stdout goes nowhere, so nothing that a candidate prints can be taken for an answer. A worker that dies,
// hangs or talks nonsense gives a typed failure, is killed with its whole process group, and the next job
// starts a fresh one.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_CLIENT_WORKER_H
#define KCHECK_CLIENT_WORKER_H

#include "runner/protocol/Job.h"
#include "runner/protocol/Result.h"
#include <functional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace kcheck::client {

struct WorkerOptions {
  std::string Program;           ///< empty: kcheck-sim beside this program, else on PATH
  std::vector<std::string> Args; ///< before --serve
  std::vector<std::string> Wrapper; ///< a sandbox's command that starts the program, words before it
  /// Runs in the child between fork and exec: limits, namespaces, filters. False ends the child.
  std::function<bool()> Confine;
  double GraceSeconds = 10; ///< beyond a job's own limits, before the worker is killed
};

class Worker {
public:
  explicit Worker(WorkerOptions Options) : Options(std::move(Options)) {}
  ~Worker() { stop(); }
  Worker(const Worker &) = delete;
  Worker &operator=(const Worker &) = delete;

  /// Never throws and always answers; what went wrong with the worker itself is Failure::Crash, ::Timeout or ::NoWorker.
  protocol::Result run(const protocol::Job &J);
  void stop();

private:
  bool start(std::string &Error);
  protocol::Result failed(const protocol::Job &J, protocol::Failure F, std::string Message) const;
  std::string lastWords();

  WorkerOptions Options;
  pid_t Pid = -1;
  int In = -1, Answer = -1, Err = -1;
  std::string Pending;
};

/// The worker program: beside this one, else in ../libexec/kcheck, else found on PATH; empty when nowhere.
std::string findWorker(const std::string &Name);

} // namespace kcheck::client
#endif
