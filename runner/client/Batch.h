//===- Batch.h - several jobs in one confined worker --------------------------===//
//
//   Batch() ─► kcheck-sim --serve starts in the sandbox
//   give() ──► one JSON line a job on stdin ──┴─► one answer each on its own descriptor ─► next()
//                                             └─► outputs, as files in its scratch folder
//
// One start and one compile serve all shapes of a candidate. The worker gets the toolkit and a precompiled header
// to read, a scratch folder to write, and nothing else. An answer that is missing is a typed failure.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_CLIENT_BATCH_H
#define KCHECK_CLIENT_BATCH_H

#include "runner/client/Sandbox.h"
#include "runner/protocol/Job.h"
#include "runner/protocol/Result.h"
#include <optional>

namespace kcheck::client {

struct BatchOptions {
  std::string Program;            ///< the worker, an absolute path
  std::string CacheFolder;        ///< holds its precompiled headers; read by candidates' workers, written by none; empty: none
  std::vector<std::string> ReadPaths; ///< the toolkit, where it is not below /usr
  bool HostCode = false;          ///< the worker may have a second process, for the candidate's host code
  bool StopAtFault = true;        ///< jobs behind the first one that fails or shows a sure fault are not run
  double GraceSeconds = 10;       ///< beyond the limits of the jobs
  uint64_t MemoryBytes = 8ull << 30; ///< of the worker: device memory, its shadow, the compiler
};

class Batch {
public:
  /// Starts the worker, so that it is ready when the jobs are.
  explicit Batch(const BatchOptions &O);
  /// Once: the jobs, which the worker takes in order while answers are asked for.
  void give(std::vector<protocol::Job> Jobs);
  /// Waits for the answer of the next job; nothing behind the last one, or behind the one that ended the batch. Never throws.
  /// Where no worker could be started the one answer is Failure::NoWorker with the reason.
  std::optional<protocol::Result> next();
  const BatchOptions &options() const { return Options; }

private:
  BatchOptions Options;
  ScratchFolder Scratch;
  SandboxRun Worker;
  std::vector<std::string> Waiting; ///< ids of the jobs
  size_t Given = 0;                 ///< answers
  bool LastEnds = false, Ended = false;
};

/// All answers at once.
std::vector<protocol::Result> runBatch(std::vector<protocol::Job> Jobs, BatchOptions O);

/// Whether a worker for these jobs needs a process for the candidate's host code (BatchOptions::HostCode).
bool wantsHostCode(const std::vector<protocol::Job> &Jobs);

/// The same for the host code of launcher mode; to be called after prepareCache.
void prepareHostCache(const std::string &Program, const protocol::Source &Like, const std::string &Folder);

/// The folder of the workers' caches, made where it is not there; empty: there is no place for one.
std::string cacheFolder();

/// The cache folder, after seeing to it that the precompiled header for these jobs' flags is in it: a worker that only
/// ever saw an empty kernel makes it. Empty: there is no place for one.
std::string prepareCache(const std::string &Program, const protocol::Source &Like);

} // namespace kcheck::client
#endif
