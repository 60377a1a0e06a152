//===- Measure.h - what a GPU worker measures beside running the steps --------===//
//
//   Job::Reference ─► Result::Judged     outputs against an fp64 reference on the device
//   Job::Perf      ─► Result::Perf       candidate and baseline, timed in turns
//   Job::Counters  ─► Result::Counters   hardware counters and what they mean
//   every job      ─► Result::Kernels    registers, spills, occupancy
//
// What was not measured says why; it is never a zero.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_PROTOCOL_MEASURE_H
#define KCHECK_PROTOCOL_MEASURE_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kcheck::protocol {

/// The operator whose fp64 reference judges outputs on the device, for sizes that are too big to send back.
struct ReferenceRequest {
  std::string Operator, Variant;
  std::map<std::string, int64_t> Dims;
  std::map<std::string, double> Attrs;
  std::map<std::string, std::string> Buffers; ///< the operator's argument -> buffer
  double Relative = -1, Absolute = -1;        ///< negative: by the output's type
};

/// What the driver says of a compiled kernel at its launch.
struct KernelFacts {
  std::string Name;
  int Registers = 0, StaticShared = 0, LocalBytes = 0, ConstBytes = 0, MaxThreads = 0;
  int BlockThreads = 0, BlocksPerUnit = 0;
  uint64_t DynamicShared = 0;
  double Occupancy = 0;     ///< resident warps over the most that fit, 0 to 1
  std::string Limiter;      ///< registers, shared_memory, block_size, blocks, grid; empty at full occupancy
};

/// One output against the reference on the device.
struct Judgement {
  std::string Buffer;
  int64_t Elements = 0, Wrong = 0, NanWrong = 0, Unwritten = 0, First = -1;
  double MaxAbs = 0, MaxRel = 0, Worst = 0, Got = 0, Want = 0, Allowed = 0;
  std::string Tag, Message; ///< empty: right
};

struct Timing {
  double Median = 0, Low = 0, High = 0, Least = 0; ///< milliseconds; Low and High are the quartiles
  unsigned Samples = 0;
};

struct PerfResult {
  bool Measured = false;
  std::string Why;           ///< not measured: the reason
  Timing Candidate, Baseline; ///< Baseline.Samples 0: none was given
  double Ratio = 0, RatioLow = 0, RatioHigh = 0; ///< candidate over baseline: of the means of the middle halves; quartiles of the pairs
  double BoundLow = 0, BoundHigh = 0;            ///< 95 % bootstrap interval of the ratio
  unsigned Runs = 0, Dropped = 0, Compared = 0, WarmUp = 0;
  std::string DropReason;    ///< clocks event that the dropped samples saw
  uint64_t Bytes = 0;        ///< least traffic of the operator: each input once, each output once
  double Flops = 0;          ///< 0: not known
  double CopyGBs = 0, FmaGflops = 0; ///< measured ceilings of this device
  double FloorMs = 0;        ///< no honest kernel is faster
  double LaunchMs = 0;       ///< cost of an empty launch sequence
  std::string ComparedWith;  ///< "gpu_fp64", "cpu_fp64"; empty: outputs were not compared, NotCompared says why
  std::string NotCompared;
};

struct CounterLabel {
  std::string Name, Text;
  double Value = 0, Limit = 0;
  unsigned Line = 0;
  bool Primary = false;
};
struct CounterResult {
  std::string Kernel;
  bool Measured = false;
  std::string Why;
  std::map<std::string, double> Values;
  std::vector<CounterLabel> Labels;
};

} // namespace kcheck::protocol
#endif
