//===- Job.h - what a worker is asked to compile and run ----------------------===//
//
//   Source ─► module ─┐
//   Buffers (content) ─┼─► Steps in order ─► findings, outputs, metrics (Result.h)
//   Checks, Limits ────┘
//
// A job holds all that the worker may see of the candidate: its text and local includes travel with it,
// toolkit and system headers are the worker's own. JSON form: docs/schema/job.schema.json.
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_PROTOCOL_JOB_H
#define KCHECK_PROTOCOL_JOB_H

#include "runner/protocol/Measure.h"
#include "runner/protocol/Types.h"
#include <variant>

namespace kcheck::protocol {

/// A file that the candidate includes by a path relative to itself.
struct SourceFile {
  std::string Path, Text;
};

struct Source {
  std::string File = "candidate.cu"; ///< name used in messages; relative includes resolve beside it
  std::string Text;
  std::string CallText;   ///< launcher mode: C++ behind Text that defines kcheck_call(void **) of C linkage, which calls the launcher
  std::string DeviceText; ///< Text with the host's code blanked in place, for compilers that take none; empty: not cut
  std::vector<SourceFile> Includes;
  std::vector<SourceFile> DeviceIncludes; ///< what DeviceText includes, by the name in its #include; empty: Includes
  std::vector<std::string> Defines; ///< "NAME" or "NAME=VALUE"
  std::vector<std::string> Args;    ///< more compiler arguments, already vetted by the client
  std::string Arch = "sm_80";
  std::string Standard = "c++17";
};

enum class Role { In, Out, InOut, Scratch };
std::string_view toString(Role R);
std::optional<Role> parseRole(std::string_view Text);

/// What a buffer holds when it is allocated.
enum class Content {
  Uninitialised, ///< reading it is a fault
  Poison,        ///< as Uninitialised where the worker tracks initialisation, else a byte pattern
  Zero,
  Data,     ///< Buffer::Data
  Generated ///< Buffer::Gen
};

/// Memory on the device, known by its name. The name is what findings call it.
struct Buffer {
  std::string Name;
  DType Type = DType::F32;
  std::vector<int64_t> Shape; ///< product of the dims is the element count; empty: one element
  Role How = Role::In;
  Content Fill = Content::Uninitialised;
  Bytes Data;
  Generator Gen;
  uint8_t PoisonByte = 0xFF;
  bool Managed = false; ///< reachable from the host too

  int64_t elements() const;
  uint64_t bytes() const;
};

/// A place in a buffer (Buffer set) or in a device variable of the module (Symbol set).
struct Place {
  std::string Buffer, Symbol;
  uint64_t Offset = 0; ///< bytes
};

/// An argument of a launch.
struct Argument {
  enum class Kind { Pointer, Null, Scalar, Struct } What = Kind::Scalar;
  Place Where;               ///< Pointer
  DType Type = DType::I32;   ///< Scalar
  int64_t Int = 0;           ///< Scalar of an integer type (u64 by its bits)
  double Float = 0;          ///< Scalar of a floating type
  Bytes Raw;                 ///< Struct passed by value
  std::vector<Place> Fields; ///< Struct: addresses to put into Raw …
  std::vector<uint64_t> FieldOffsets; ///< … at these offsets
};

struct Dim3 {
  uint32_t X = 1, Y = 1, Z = 1;
  uint64_t count() const { return uint64_t(X) * Y * Z; }
};

struct AllocStep { std::string Buffer; };
struct FreeStep { std::string Buffer; };
/// Fills Bytes bytes with a byte value.
struct SetStep {
  Place To;
  uint8_t Value = 0;
  uint64_t Bytes = 0;
};
struct CopyStep {
  Place To, From; ///< From empty: Data
  protocol::Bytes Data;
  uint64_t Bytes = 0;
};
struct LaunchStep {
  std::string Kernel; ///< name expression: "k", "ns::k<float, 4>"
  Dim3 Grid, Block;
  uint64_t SharedBytes = 0;
  int Stream = 0;
  std::vector<Argument> Args;
  bool Cooperative = false;
  bool DefaultShared = false; ///< nothing raises the kernel's limit of shared memory: 48 KB, static and dynamic together
};
/// Launcher mode: the candidate's own host code runs. Source::CallText says which function, and gets the addresses of the arguments.
struct CallStep {
  std::vector<Argument> Args;
};
struct SyncStep {
  int Stream = -1; ///< -1: the whole device
};

struct Step {
  std::variant<AllocStep, FreeStep, SetStep, CopyStep, LaunchStep, CallStep, SyncStep> Do;
  unsigned Line = 0; ///< line of the host code that asked for it, 0 unknown
};

/// What is looked for while running. All on by default.
struct Checks {
  bool Bounds = true, Init = true, Races = true, Sync = true;
  bool Metrics = false; ///< access and divergence counters, on a sample of the blocks
  bool any() const { return Bounds || Init || Races || Sync; }
};

struct Limits {
  double Seconds = 30;         ///< wall clock for the steps of the job, compile excluded
  double CompileSeconds = 30;
  uint64_t MemoryMb = 4096;    ///< device memory
  uint64_t LoopIterations = 300'000'000; ///< of one thread in one launch; more is a time-out
  uint32_t MaxFindings = 32;
  unsigned Threads = 0;        ///< host threads; 0: all
};

/// A kernel to be timed against, on the job's own buffers.
struct PerfRequest {
  unsigned Runs = 50;
  protocol::Source Source;               ///< of the baseline; no text: the candidate alone is timed
  std::vector<protocol::Buffer> Scratch; ///< buffers that its launcher allocates
  std::vector<Step> Steps;
};

struct Job {
  std::string Id;
  protocol::Source Source;
  std::vector<protocol::Buffer> Buffers;
  std::vector<Step> Steps;
  protocol::Checks Checks;
  protocol::Limits Limits;
  std::vector<std::string> Outputs; ///< buffers whose content is wanted after the last step
  // For GPU workers; the simulator does none of these.
  std::optional<ReferenceRequest> Reference;
  std::optional<PerfRequest> Perf;
  bool Counters = false;
  std::vector<std::string> Sanitizers; ///< of compute-sanitizer's tools: memcheck, racecheck, synccheck, initcheck
  std::string Compiler;                ///< nvrtc, nvcc; empty: nvrtc, and where it fails nvcc decides
  std::string OutputFile; ///< file (in shared memory) that takes them one after another; empty: base64 in the result

  const Buffer *find(std::string_view Name) const;
};

/// JSON text of a job, and back. parseJob puts a reason in Error when it returns nothing.
std::string toJson(const Job &J, int Indent = -1);
std::optional<Job> parseJob(std::string_view Text, std::string &Error);

} // namespace kcheck::protocol
#endif
