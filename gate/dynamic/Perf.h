//===- Perf.h - the measurement on a GPU: job out, times and counters judged -------------===//
#ifndef KCHECK_GATE_DYNAMIC_PERF_H
#define KCHECK_GATE_DYNAMIC_PERF_H

#include "gate/dynamic/Prepare.h"
#include "llvm/Support/JSON.h"

namespace kcheck::gate {

/// Whether a device has a clock that counts.
bool isGpu(llvm::StringRef Device);
/// Whether the candidate's own host code is run there: on this machine only, whoever serves others runs none.
bool runsHostCode(llvm::StringRef Device);

/// Times the candidate at its perf case, every output judged by alternative A of the reference on the device.
protocol::Job perfJob(const Prepared &W, const Task &T, Reference &Ref, size_t Alternative, uint64_t Seed, bool Counters);

/// The task's own baseline into such a job; why it cannot be used, empty: it can, or there is none.
std::string addBaseline(protocol::Job &J, const Prepared &W, const Task &T, const ParseOptions &O);

/// "perf: baseline median 0.0526 ms, candidate 0.0656 ms (1.25x, IQR 1.24-1.26)".
std::string perfLine(const protocol::PerfResult &P);
llvm::json::Object perfJson(const protocol::PerfResult &P, const ops::Case &At, double MaxRatio);
/// One line a kernel and label, and why counters could not be read.
std::vector<std::string> gpuCounterLines(const std::vector<protocol::CounterResult> &All);
llvm::json::Object gpuCountersJson(const std::vector<protocol::CounterResult> &All);
llvm::json::Array kernelsJson(const std::vector<protocol::KernelFacts> &All);

} // namespace kcheck::gate
#endif
