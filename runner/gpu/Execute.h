//===- Execute.h - a job's buffers and steps on a device -------------------------===//
//
//   Loaded  ─► kernels and variables of a compiled module
//   Buffers ─► [ red zone | data | red zone ] a buffer, filled as the job says
//   Steps   ─► allocate, set, copy, launch, free, in order, on one stream a number
//
//===--------------------------------------------------------------------------===//
#ifndef KCHECK_GPU_EXECUTE_H
#define KCHECK_GPU_EXECUTE_H

#include "runner/gpu/Device.h"
#include "runner/protocol/Job.h"
#include <set>

namespace kcheck::gpu {

class Loaded {
public:
  Loaded(Device &G, Binary B);
  ~Loaded();
  Loaded(const Loaded &) = delete;
  Loaded &operator=(const Loaded &) = delete;
  const Binary &binary() const { return B; }
  Function kernel(const std::string &Name);
  /// Address and bytes of a __device__ or __constant__ variable.
  std::pair<DevicePtr, size_t> variable(const std::string &Name);
  /// The same by the name that the compiler gave it; false: the module has none.
  bool symbol(const std::string &Name, DevicePtr &At, size_t &Bytes) { return G.api().moduleGlobal(&At, &Bytes, M, Name.c_str()) == 0; }

private:
  void collect();
  Device &G;
  Binary B;
  Module M = nullptr;
  std::map<std::string, Function> Known;
  std::map<std::string, std::string> Plain; ///< plain name -> symbol, of modules without lowered names
};

/// What memory holds that nobody has written.
struct FillBytes {
  uint8_t Canary = 0xA5, Poison = 0xFF;
};

class Buffers {
public:
  static constexpr size_t Zone = 4096;

  /// Bare: no zones, and what nobody has written is left alone, for compute-sanitizer to see.
  Buffers(Device &G, uint64_t MostBytes, bool Bare = false) : G(G), MostBytes(MostBytes), Edge(Bare ? 0 : Zone) {}

  /// Allocates (or takes the one that is there) and fills zones and content.
  void make(const protocol::Buffer &B, const FillBytes &F);
  /// Checks its zones, then overwrites it: what still reads it gets poison.
  void retire(const std::string &Name, std::vector<protocol::Finding> &Out);
  DevicePtr address(const std::string &Name) const;
  bool has(const std::string &Name) const { return All.count(Name) != 0; }
  const protocol::Buffer &of(const std::string &Name) const { return *All.at(Name).B; }
  /// Findings for red zones that were written to.
  void checkZones(std::vector<protocol::Finding> &Out);
  /// Bytes between two buffers of one name in different sets: index of the first element that differs, or -1.
  /// Count gets how many differ.
  int64_t firstDifference(const std::string &Name, DevicePtr Other, uint8_t Poison, uint8_t OtherPoison, uint64_t &Count);
  protocol::Bytes content(const std::string &Name);
  /// Fills At, of a buffer like B, from another seed; false when its distribution is made on the CPU only.
  bool regenerate(const protocol::Buffer &B, DevicePtr At, uint64_t Seed);

private:
  struct One {
    const protocol::Buffer *B = nullptr;
    DeviceMemory Memory;
    DevicePtr Data = 0;
    FillBytes Fill;
    bool Retired = false;
  };
  void fill(One &O);
  void checkZone(const std::string &Name, One &O, std::vector<protocol::Finding> &Out);
  Device &G;
  uint64_t MostBytes, Used = 0;
  size_t Edge;
  std::map<std::string, One> All;
};

/// Which buffers a job's steps allocate themselves.
std::set<std::string> allocatedBySteps(const std::vector<protocol::Step> &Steps);

/// Runs the steps of one candidate again and again on the same buffers.
class StepRunner {
public:
  StepRunner(Device &G, Loaded &Code, Buffers &B, const std::vector<protocol::Buffer> &Declared) : G(G), Code(Code), B(B), Declared(Declared) {}
  ~StepRunner();

  /// Alloc and Free steps act when Whole; else every buffer is there already and only the work is queued.
  /// FailedStep tells where it stopped when this throws.
  void run(const std::vector<protocol::Step> &Steps, bool Whole, const FillBytes &F, std::vector<protocol::Finding> &Out);
  /// Makes what comes next on the main stream wait for all others.
  void join();
  /// Numbers of streams that had work when the steps ended which no step waited for (a last sync without a line is the client's).
  static std::vector<int> unjoined(const std::vector<protocol::Step> &Steps);

  unsigned FailedStep = 0;
  /// Calls the candidate's launcher (launcher mode); empty: such a step is a bad job.
  std::function<void(const protocol::CallStep &)> Call;

private:
  void launch(const protocol::LaunchStep &L);
  DevicePtr resolve(const protocol::Place &P, uint64_t Bytes, const char *What);
  Stream streamOf(int Number);
  /// Makes a stream wait for what was queued on the main one before the steps.
  void follow(Stream S);
  const protocol::Buffer &declared(const std::string &Name) const;

  Device &G;
  Loaded &Code;
  Buffers &B;
  const std::vector<protocol::Buffer> &Declared;
  std::map<int, Stream> Streams;
  Event Joined = nullptr, Begun = nullptr;
};

/// Registers, shared memory, spills and occupancy of every kernel that the steps launch.
std::vector<protocol::KernelFacts> kernelFacts(Device &G, Loaded &Code, const std::vector<protocol::Step> &Steps);
/// What bounds occupancy, of these numbers alone.
struct OccupancyInput {
  int Registers = 0, BlockThreads = 0, MaxThreadsPerUnit = 2048, RegistersPerUnit = 65536, SharedPerUnit = 0, BlocksPerUnit = 32;
  uint64_t SharedPerBlock = 0;
  int Resident = 0; ///< blocks a unit, as the driver says
};
std::string occupancyLimiter(const OccupancyInput &I);

} // namespace kcheck::gpu
#endif
