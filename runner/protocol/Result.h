//===- Result.h - what a worker answers ---------------------------------------===//
#ifndef KCHECK_PROTOCOL_RESULT_H
#define KCHECK_PROTOCOL_RESULT_H

#include "runner/protocol/Measure.h"
#include "runner/protocol/Types.h"
#include <map>
#include <optional>

namespace kcheck::protocol {

/// How a job ended. Findings may stand beside State::Ok: the job ran to its end and faults were seen.
enum class State {
  Ok,          ///< every step ran
  Failed,      ///< a step did not finish; Result::Failure says how
  NotMeasured  ///< too slow for the limits, without evidence of a fault
};

/// Why a job failed. Each maps to one tag.
enum class Failure {
  None, CompileError, LaunchConfig, IllegalAddress, OutOfMemory, Timeout, StackOverflow, DeviceAssert,
  BarrierDivergence, WarpLaneAbsent, Crash, Unsupported, BadJob, NoWorker, Misaligned
};

std::string_view toString(State S);
std::string_view toString(Failure F);
std::optional<State> parseState(std::string_view Text);
std::optional<Failure> parseFailure(std::string_view Text);
/// The report's tag for a failure; empty for None, BadJob and NoWorker, which are no candidate's fault.
std::string_view tagOf(Failure F);

struct SourcePlace {
  std::string File;
  unsigned Line = 0, Column = 0;
  bool known() const { return Line != 0; }
};

struct ThreadId {
  std::string Block;  ///< "(3,0,0)"
  std::string Thread; ///< "(17,0,0)"
};

/// One fault seen while running.
struct Finding {
  std::string Tag; ///< RULES.md, dynamic tags: "race_shared"
  SourcePlace Where;
  std::string Message;
  std::string Kernel;
  std::vector<ThreadId> Threads; ///< the thread at Where first, then the other one
  SourcePlace Other;             ///< second place of a race: the earlier access
  std::string OtherMessage;
  std::string Buffer;            ///< buffer or variable concerned
  int64_t Index = 0;             ///< element index in it (may be negative or past the end)
  uint64_t Size = 0;             ///< its element count
  uint64_t AccessBytes = 0;
  uint64_t Count = 1; ///< how often the same fault was seen
  bool Sure = true;   ///< false: wrong only if something holds that the run did not show; the message says what
};

struct Output {
  std::string Buffer;
  Bytes Data;             ///< inline …
  std::string File;       ///< … or at Offset of File
  uint64_t Offset = 0, Size = 0;
  uint64_t UnwrittenBytes = 0; ///< bytes that no kernel, set or copy wrote (simulator only)
};

/// Counters of one source line of a kernel (or of a whole kernel where Line is 0).
struct LineMetrics {
  unsigned Line = 0;
  uint64_t GlobalRequests = 0, GlobalSectors = 0, IdealSectors = 0;
  uint64_t SharedRequests = 0, SharedWavefronts = 0;
  uint64_t Branches = 0, DivergentBranches = 0;
};
struct LaunchMetrics {
  std::string Kernel;
  unsigned HostLine = 0;
  uint64_t Blocks = 0, ThreadsPerBlock = 0, SampledBlocks = 0;
  LineMetrics Total;
  std::vector<LineMetrics> Lines;
  uint64_t GlobalBytes = 0, SharedBytes = 0, Flops = 0; ///< scaled to the whole launch
  uint64_t Instructions = 0, ActiveLanes = 0;           ///< of the sampled warps; the quotient is the mean of active lanes
  uint64_t StaticShared = 0, DynamicShared = 0, LocalBytes = 0;
  double Milliseconds = 0;
};

struct CompileMessage {
  SourcePlace Where;
  std::string Level; ///< error, warning, note
  std::string Message;
};

struct Result {
  std::string Id, Worker, Device;
  protocol::State State = State::Ok;
  protocol::Failure Failure = Failure::None;
  std::string Message; ///< for a failure: what happened, one line
  unsigned FailedStep = 0;
  std::vector<CompileMessage> Compile;
  std::vector<Finding> Findings;
  std::vector<Output> Outputs;
  std::vector<LaunchMetrics> Launches;
  std::map<std::string, double> Times; ///< milliseconds: front_end, code, run, total
  // GPU workers only.
  std::vector<KernelFacts> Kernels;
  std::vector<Judgement> Judged;
  std::optional<PerfResult> Perf;
  std::vector<CounterResult> Counters;
  std::map<std::string, std::string> Notes; ///< what else was done or could not be: compiler, sanitizer, repeat, clocks
  std::string Printed;                 ///< device printf, cut at 64 KiB
  std::optional<int> ExitStatus;       ///< of a whole program (kcheck-sim --program)
};

std::string toJson(const Result &R, int Indent = -1);
std::optional<Result> parseResult(std::string_view Text, std::string &Error);

} // namespace kcheck::protocol
#endif
