//===- Batch.h - several jobs in one confined worker --------------------------===//
//
//   jobs ─► one JSON line each on stdin ─► kcheck-sim --serve in the sandbox ─► one answer each on its own descriptor
//                                                        └─► outputs, as files in its scratch folder
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

namespace kcheck::client {

struct BatchOptions {
  std::string Program;            ///< the worker, an absolute path
  std::string CacheFolder;        ///< holds its precompiled headers; read by candidates' workers, written by none; empty: none
  std::vector<std::string> ReadPaths; ///< the toolkit, where it is not below /usr
  bool StopAtFault = true;        ///< jobs behind the first one that fails or shows a sure fault are not run
  double GraceSeconds = 10;       ///< beyond the limits of the jobs
  uint64_t MemoryBytes = 8ull << 30; ///< of the worker: device memory, its shadow, the compiler
};

struct BatchResult {
  std::vector<protocol::Result> Answers; ///< of the first jobs, in order; all, or up to the one that ended the batch
  SandboxKind Kind = SandboxKind::None;
  double Seconds = 0;
};

/// Never throws. Where no worker could be started the one answer is Failure::NoWorker with the reason.
BatchResult runBatch(std::vector<protocol::Job> Jobs, const BatchOptions &O);

/// The same for the host code of launcher mode; to be called after prepareCache.
void prepareHostCache(const std::string &Program, const protocol::Source &Like, const std::string &Folder);

/// The cache folder, after seeing to it that the precompiled header for these jobs' flags is in it: a worker that only
/// ever saw an empty kernel makes it. Empty: there is no place for one.
std::string prepareCache(const std::string &Program, const protocol::Source &Like);

} // namespace kcheck::client
#endif
