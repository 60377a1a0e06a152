//===- CompileAhead.h - compiles jobs before their turn ---------------------------------===//
//
//   jobs that wait ─► a few processes without a context ─► the cache ─► the worker, which finds the outcome there
//
// One source is compiled once, however many jobs have it. What a process makes of a source that kills it is found out by the
// worker again, which has an answer for that.
//
//===--------------------------------------------------------------------------------===//
#ifndef KCHECK_GPU_COMPILEAHEAD_H
#define KCHECK_GPU_COMPILEAHEAD_H

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace kcheck::gpu {

class CompileAhead {
public:
  /// Compiles the source of a job; Slot tells which of the processes may be used.
  using Compile = std::function<void(unsigned Slot, const std::string &Job)>;
  CompileAhead(unsigned Processes, Compile Do) : Processes(Processes), Do(std::move(Do)) {}
  ~CompileAhead();
  CompileAhead(const CompileAhead &) = delete;
  CompileAhead &operator=(const CompileAhead &) = delete;

  /// A job that will come.
  void expect(const std::string &Job);
  /// The job's turn: what is being compiled for it is waited for, what has not begun is left to the worker.
  void turn(const std::string &Job);
  /// The jobs that were expected will not come.
  void forget();

private:
  struct Item {
    std::string Key, Job;
  };
  void work(unsigned Slot);

  unsigned Processes;
  Compile Do;
  std::mutex Lock;
  std::condition_variable Changed;
  std::deque<Item> Waiting;
  std::set<std::string> Running;
  std::deque<std::string> Known; ///< keys of late: compiled, being compiled, or the worker's
  std::vector<std::thread> Threads;
  bool Ended = false;
};

} // namespace kcheck::gpu
#endif
