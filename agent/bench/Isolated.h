//===- Isolated.h - many small pieces of work, each in a process of its own -----------------===//
//
// A candidate may crash the parser, make it hang or eat all memory. Each piece of work runs in a forked process that
// answers with a text; one that does not answer costs its answer and nothing else.
//
//===--------------------------------------------------------------------------------------===//
#ifndef KCHECK_AGENT_BENCH_ISOLATED_H
#define KCHECK_AGENT_BENCH_ISOLATED_H

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace kcheck::agent {

struct IsolationLimits {
  double Seconds = 20;       ///< of processor time each, thrice as much by the clock
  unsigned MemoryMB = 4096;  ///< of address space; 0: no limit
  unsigned AtOnce = 0;       ///< 0: one a core
};

struct IsolatedAnswer {
  std::optional<std::string> Text;
  std::string Why; ///< there is no text: "died by signal 11", "took more than 20 s"
};

/// Work(I) for each I below Count. Answers are in order.
std::vector<IsolatedAnswer> runIsolated(size_t Count, const IsolationLimits &L, const std::function<std::string(size_t)> &Work);

} // namespace kcheck::agent
#endif
