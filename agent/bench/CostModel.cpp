#include "agent/bench/CostModel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <cmath>

using namespace kcheck;
using namespace kcheck::agent;

// Capability, name, multiprocessors, GHz, fp32 lanes, copy GB/s, L2 GB/s, L2 MB, threads, blocks, shared KiB. Units, clocks and sizes are
// the makers' figures; rates are about 0.9 of the makers' for DRAM and what microbenchmarks of the L2 report.
static const struct {
  unsigned Capability;
  const char *Name;
  double Units, GHz, Lanes, CopyGBs, L2GBs, L2MB, Threads, Blocks, SharedKb;
} Models[] = {
    {75, "T4", 40, 1.59, 64, 270, 1200, 4, 1024, 16, 64},        {80, "A100", 108, 1.41, 64, 1380, 4200, 40, 2048, 32, 164},
    {86, "RTX 3090", 82, 1.70, 128, 840, 2500, 6, 1536, 16, 100}, {89, "L40", 142, 2.40, 128, 780, 4500, 96, 1536, 24, 100},
    {90, "H200", 132, 1.75, 128, 4000, 5500, 50, 2048, 32, 228},  {100, "B200", 148, 1.85, 128, 6900, 9000, 126, 2048, 32, 228},
    {120, "RTX 5090", 170, 2.40, 128, 1600, 7000, 96, 1536, 24, 100}};

DeviceModel DeviceModel::of(llvm::StringRef Arch) {
  unsigned N = 80;
  Arch.drop_while([](char C) { return !llvm::isDigit(C); }).take_while([](char C) { return llvm::isDigit(C); }).getAsInteger(10, N);
  const auto *Found = &Models[0];
  for (const auto &M : Models) // the newest one that is not newer
    if (M.Capability <= N)
      Found = &M;
  DeviceModel D;
  D.Name = Found->Name;
  D.Capability = N;
  D.Units = Found->Units, D.ClockGHz = Found->GHz, D.Lanes = Found->Lanes;
  D.CopyGBs = Found->CopyGBs, D.L2GBs = Found->L2GBs, D.L2Bytes = Found->L2MB * 1e6;
  D.ThreadsPerUnit = Found->Threads, D.BlocksPerUnit = Found->Blocks, D.SharedPerUnit = Found->SharedKb * 1024;
  return D;
}

DeviceFacts DeviceModel::facts(llvm::StringRef Arch) const {
  DeviceFacts F;
  F.Name = "a model of " + Name;
  F.Arch = Arch.str();
  F.Units = unsigned(Units), F.ThreadsPerUnit = unsigned(ThreadsPerUnit), F.SharedPerUnit = unsigned(SharedPerUnit);
  F.RegistersPerUnit = 64 * 1024;
  F.CopyGBs = CopyGBs, F.FmaGflops = fmaGflops();
  F.Modelled = true;
  return F;
}

namespace {

constexpr double LaunchMs = 0.002, Overlap = 0.15;   // what the slower resources do not hide of the others
constexpr double MemoryLatency = 700e-9, LoadsInFlight = 4, WarpsToIssue = 12;
// The simulator counts instructions as they stand in the code. A compiler unrolls loops, keeps small arrays in registers and
// steps addresses: of what is neither arithmetic nor an access, so much is left of what a thread does once, and of what it repeats.
constexpr double Straight = 200, KeptOnce = 0.5, KeptRepeated = 0.03;

/// Blocks of a multiprocessor at a time, and what bounds them.
struct Residency {
  double Blocks = 1, Warps = 1, Occupancy = 0;
  std::string Limiter;
};

Residency residencyOf(const protocol::LaunchMetrics &M, const DeviceModel &D) {
  Residency R;
  double Warps = std::max(1.0, std::ceil(double(M.ThreadsPerBlock) / 32)), Shared = double(M.StaticShared + M.DynamicShared);
  double ByThreads = std::floor(D.ThreadsPerUnit / (Warps * 32)), ByShared = Shared > 0 ? std::floor(D.SharedPerUnit / (Shared + 1024)) : 1e9;
  R.Blocks = std::max(1.0, std::min({ByThreads, D.BlocksPerUnit, ByShared}));
  R.Occupancy = std::min(1.0, R.Blocks * Warps * 32 / D.ThreadsPerUnit);
  if (R.Occupancy < 0.99)
    R.Limiter = ByShared <= R.Blocks ? "shared_memory" : ByThreads <= R.Blocks ? "block_size" : "blocks";
  double Per = std::ceil(double(M.Blocks) / D.Units); // of a multiprocessor that has work
  if (Per < R.Blocks) {
    R.Blocks = std::max(1.0, Per);
    R.Occupancy = std::min(R.Occupancy, double(M.Blocks) * Warps * 32 / (D.Units * D.ThreadsPerUnit));
    R.Limiter = "grid";
  }
  R.Warps = R.Blocks * Warps;
  return R;
}

/// What the first-level cache does not hold: what is needed once, and a quarter of what is fetched beyond that.
double missedSectors(const protocol::LineMetrics &T) { return double(T.IdealSectors) + std::max(0.0, double(T.GlobalSectors) - double(T.IdealSectors)) / 4; }

double ratio(double A, double B) { return B > 0 ? A / B : 0; }

/// Instructions of the launch, by warps: multiply-adds and accesses, and what the compiler leaves of the rest.
double issued(const protocol::LaunchMetrics &M, double Scale) {
  double Warps = double(M.Blocks) * std::max(1.0, std::ceil(double(M.ThreadsPerBlock) / 32));
  double Needed = double(M.Flops) / 2 / 32 + double(M.Total.GlobalRequests + M.Total.SharedRequests) * Scale;
  double Rest = std::max(0.0, double(M.Instructions) * Scale - Needed) / std::max(1.0, Warps);
  return Needed + Warps * (KeptOnce * std::min(Rest, Straight) + KeptRepeated * std::max(0.0, Rest - Straight));
}

/// Multiply-adds for each access of shared memory: with tiles in registers a warp has so many under way that do not wait for each other.
double independent(const protocol::LaunchMetrics &M, double Scale) {
  return std::clamp(ratio(double(M.Flops) / 2 / 32, double(M.Total.SharedRequests) * Scale), 1.0, 4.0);
}

unsigned worstLine(const protocol::LaunchMetrics &M, uint64_t protocol::LineMetrics::*More, uint64_t protocol::LineMetrics::*Less) {
  int64_t Most = 0;
  unsigned Line = 0;
  for (const protocol::LineMetrics &L : M.Lines)
    if (int64_t Over = int64_t(L.*More) - (Less ? int64_t(L.*Less) : 0); Over > Most)
      Most = Over, Line = L.Line;
  return Line;
}

} // namespace

KernelProfile agent::modelLaunch(const protocol::LaunchMetrics &M, double Footprint, const DeviceModel &D, double &Ms) {
  using protocol::LineMetrics;
  const LineMetrics &T = M.Total;
  double Scale = ratio(double(M.Blocks), double(std::max<uint64_t>(1, M.SampledBlocks)));
  double Used = std::min(D.Units, std::max(1.0, double(M.Blocks))), Clock = D.ClockGHz * 1e6; // clocks a millisecond
  Residency R = residencyOf(M, D);

  // Each resource, as if it were alone and busy all the time.
  double Requests = double(T.GlobalRequests) * Scale, Sectors = double(T.GlobalSectors) * Scale, Missed = missedSectors(T) * Scale * 32;
  double Issue = issued(M, Scale) / (4 * Used * Clock);
  double Fma = double(M.Flops) / 2 / (D.Lanes * Used * Clock);
  double Width = std::max(1.0, ratio(double(M.SharedBytes), double(T.SharedRequests) * Scale * 128));
  double Shared = double(T.SharedWavefronts) * Scale * Width / (Used * Clock);
  double Cache = std::max(Requests, Sectors / 4) / (Used * Clock);
  double L2 = Missed / (D.L2GBs * 1e6);
  double Again = Footprint > D.L2Bytes ? 0.5 : 0.0; // of what is fetched more than once, the part that the L2 has lost
  double Dram = (std::min(Missed, Footprint) + Again * std::max(0.0, Missed - Footprint)) / (D.CopyGBs * 1e6);

  // Few warps keep neither memory nor pipelines busy.
  double Bytes = ratio(double(M.GlobalBytes), Requests), InFlight = R.Warps * LoadsInFlight * Bytes * Used;
  double BusyMemory = Bytes > 0 ? std::min(1.0, InFlight / (D.CopyGBs * 1e9 * MemoryLatency)) : 1;
  double BusyUnits = std::min(1.0, R.Warps * independent(M, Scale) / WarpsToIssue);
  double Times[] = {Issue / BusyUnits, Fma / BusyUnits, Shared / BusyUnits, Cache / BusyUnits, L2 / BusyMemory, Dram / BusyMemory};
  double Most = 0, Sum = 0;
  for (double X : Times)
    Most = std::max(Most, X), Sum += X;
  double Rounds = double(M.Blocks) / (Used * R.Blocks), Tail = std::ceil(Rounds) / std::max(Rounds, 1e-9);
  Ms = (Most + Overlap * (Sum - Most)) * std::clamp(Tail, 1.0, 2.0);

  KernelProfile K;
  K.Kernel = M.Kernel;
  K.OccupancyLimiter = R.Limiter;
  auto percent = [&](double X) { return Ms > 0 ? std::min(100.0, 100 * X * Used / D.Units / Ms) : 0; };
  K.Values = {{"memory_pct", percent(std::max({Shared, Cache, L2 * D.Units / Used, Dram * D.Units / Used}))},
              {"compute_pct", percent(std::max(Issue, Fma))},
              {"shared_pct", percent(Shared)},
              {"occupancy_pct", 100 * R.Occupancy},
              {"global_sectors", double(T.GlobalSectors)},
              {"ideal_sectors", double(T.IdealSectors)},
              {"shared_wavefronts", double(T.SharedWavefronts)},
              {"shared_conflicts", double(T.SharedWavefronts) - double(T.SharedRequests)},
              {"static_shared", double(M.StaticShared)},
              {"dynamic_shared", double(M.DynamicShared)},
              {"block_threads", double(M.ThreadsPerBlock)},
              {"blocks", double(M.Blocks)}};
  if (M.Instructions)
    K.Values["active_lanes"] = ratio(double(M.ActiveLanes), double(M.Instructions));
  if (unsigned Line = worstLine(M, &LineMetrics::GlobalSectors, &LineMetrics::IdealSectors))
    K.Lines["global_sectors"] = Line;
  if (unsigned Line = worstLine(M, &LineMetrics::SharedWavefronts, &LineMetrics::SharedRequests))
    K.Lines["shared_wavefronts"] = Line;
  if (unsigned Line = worstLine(M, &LineMetrics::DivergentBranches, nullptr))
    K.Lines["active_lanes"] = Line;
  return K;
}

double agent::flopsOf(const std::vector<protocol::LaunchMetrics> &Launches) {
  double Sum = 0;
  for (const protocol::LaunchMetrics &M : Launches)
    Sum += double(M.Flops);
  return Sum;
}

Measurement agent::modelTimes(const std::vector<protocol::LaunchMetrics> &Launches, double Footprint, double LeastBytes, double Flops, const DeviceModel &D) {
  Measurement M;
  M.Device = "sim, a model of " + D.Name;
  M.Modelled = true;
  M.Bytes = LeastBytes, M.Flops = Flops;
  M.CopyGBs = D.CopyGBs, M.FmaGflops = D.fmaGflops();
  M.LaunchMs = LaunchMs;
  for (const protocol::LaunchMetrics &L : Launches) {
    double Ms = 0;
    M.Kernels.push_back(modelLaunch(L, Footprint, D, Ms));
    M.Kernels.back().Share = Ms;
    M.Ms += Ms + LaunchMs;
  }
  double All = 0;
  for (const KernelProfile &K : M.Kernels)
    All += K.Share;
  for (KernelProfile &K : M.Kernels)
    K.Share = All > 0 ? K.Share / All : 0;
  llvm::stable_sort(M.Kernels, [](const KernelProfile &A, const KernelProfile &B) { return A.Share > B.Share; });
  M.LowMs = M.HighMs = M.Ms;
  M.FloorMs = std::max(LeastBytes / (D.CopyGBs * 1e6), Flops / (D.fmaGflops() * 1e6));
  return M;
}
