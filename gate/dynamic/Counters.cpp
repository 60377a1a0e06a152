#include "gate/dynamic/Counters.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <set>

using namespace kcheck;
using namespace kcheck::gate;
using protocol::LineMetrics;

static double ratio(uint64_t A, uint64_t B) { return B ? double(A) / double(B) : 0; }

CounterLimits CounterLimits::from(const Policy &P, llvm::StringRef Rule) {
  CounterLimits L;
  L.SectorsPerIdeal = P.realOption(Rule, "sectors_per_ideal", L.SectorsPerIdeal);
  L.WavefrontsPerIdeal = P.realOption(Rule, "wavefronts_per_ideal", L.WavefrontsPerIdeal);
  L.ActiveLanes = P.realOption(Rule, "active_lanes", L.ActiveLanes);
  L.Occupancy = P.realOption(Rule, "occupancy_percent", L.Occupancy);
  return L;
}

namespace {

/// What an SM holds. Figures of the CUDA programming guide's table of compute capabilities.
struct Sm {
  unsigned Threads, Blocks, SharedKb;
};

Sm smOf(llvm::StringRef Arch) {
  unsigned N = 80;
  Arch.drop_while([](char C) { return !llvm::isDigit(C); }).take_while([](char C) { return llvm::isDigit(C); }).getAsInteger(10, N);
  switch (N) {
  case 75: return {1024, 16, 64};
  case 86: return {1536, 16, 100};
  case 87: return {1536, 16, 164};
  case 89: return {1536, 24, 100};
  case 90: case 100: case 103: return {2048, 32, 228};
  case 110: return {1536, 24, 228};
  case 120: case 121: return {1536, 24, 100};
  default: return {2048, 32, 164};
  }
}

/// The line with the most of a surplus.
template <typename Fn> const LineMetrics *worst(const protocol::LaunchMetrics &M, Fn Surplus) {
  const LineMetrics *W = nullptr;
  for (const LineMetrics &L : M.Lines)
    if (Surplus(L) > 0 && (!W || Surplus(L) > Surplus(*W)))
      W = &L;
  return W;
}

} // namespace

Occupancy gate::occupancyOf(const protocol::LaunchMetrics &M, llvm::StringRef Arch) {
  Sm S = smOf(Arch);
  uint64_t Warps = std::max<uint64_t>(1, (M.ThreadsPerBlock + 31) / 32), Shared = M.StaticShared + M.DynamicShared;
  uint64_t ByThreads = S.Threads / (Warps * 32), ByShared = Shared ? S.SharedKb * 1024ull / (Shared + 1024) : UINT64_MAX;
  uint64_t Blocks = std::min<uint64_t>({ByThreads, S.Blocks, ByShared});
  Occupancy O;
  O.Percent = 100.0 * double(Blocks * Warps * 32) / S.Threads;
  O.Limiter = Blocks == ByShared ? "shared memory" : Blocks == ByThreads ? "threads" : "blocks";
  return O;
}

std::vector<CounterLabel> gate::labelLaunch(const protocol::LaunchMetrics &M, const CounterLimits &L, llvm::StringRef Arch) {
  std::vector<CounterLabel> Labels;
  auto put = [&](const char *Name, double Value, double Limit, bool Over, double Excess, const LineMetrics *At, std::string Text) {
    if (!Over)
      return;
    if (At)
      Text += ", most at line " + std::to_string(At->Line);
    Labels.push_back({Name, At ? At->Line : 0, Value, Limit, Excess, std::move(Text)});
  };
  double Sectors = ratio(M.Total.GlobalSectors, M.Total.IdealSectors);
  put("uncoalesced", Sectors, L.SectorsPerIdeal, Sectors > L.SectorsPerIdeal, Sectors / L.SectorsPerIdeal,
      worst(M, [](const LineMetrics &X) { return double(X.GlobalSectors) - double(X.IdealSectors); }),
      llvm::formatv("{0:f2} sectors for each that is needed", Sectors));
  double Waves = ratio(M.Total.SharedWavefronts, M.Total.SharedRequests);
  put("bank_conflict", Waves, L.WavefrontsPerIdeal, Waves > L.WavefrontsPerIdeal, Waves / L.WavefrontsPerIdeal,
      worst(M, [](const LineMetrics &X) { return double(X.SharedWavefronts) - double(X.SharedRequests); }),
      llvm::formatv("{0:f2} wavefronts for each that is needed", Waves));
  double Lanes = ratio(M.ActiveLanes, M.Instructions);
  put("warp_divergence", Lanes, L.ActiveLanes, M.Instructions && Lanes < L.ActiveLanes, Lanes > 0 ? L.ActiveLanes / Lanes : 0,
      worst(M, [](const LineMetrics &X) { return double(X.DivergentBranches); }), llvm::formatv("{0:f1} active lanes an instruction", Lanes));
  Occupancy Occ = occupancyOf(M, Arch);
  put("occupancy_limit", Occ.Percent, L.Occupancy, Occ.Percent < L.Occupancy, Occ.Percent > 0 ? L.Occupancy / Occ.Percent : 100, nullptr,
      llvm::formatv("{0:f0} % of an SM's threads, bound by {1}", Occ.Percent, Occ.Limiter));
  llvm::stable_sort(Labels, [](const CounterLabel &A, const CounterLabel &B) { return A.Excess > B.Excess; });
  return Labels;
}

llvm::json::Object gate::countersJson(const std::vector<protocol::LaunchMetrics> &Launches, const CounterLimits &Limits, llvm::StringRef Arch) {
  llvm::json::Array All;
  for (const protocol::LaunchMetrics &M : Launches) {
    llvm::json::Array Labels;
    for (const CounterLabel &L : labelLaunch(M, Limits, Arch))
      Labels.push_back(llvm::json::Object{{"label", L.Name}, {"primary", Labels.empty()}, {"line", L.Line}, {"value", L.Value}, {"limit", L.Limit}, {"evidence", L.Text}});
    Occupancy Occ = occupancyOf(M, Arch);
    All.push_back(llvm::json::Object{
        {"kernel", M.Kernel}, {"host_line", M.HostLine}, {"blocks", int64_t(M.Blocks)}, {"threads_per_block", int64_t(M.ThreadsPerBlock)},
        {"sampled_blocks", int64_t(M.SampledBlocks)}, {"global_bytes", int64_t(M.GlobalBytes)}, {"shared_bytes", int64_t(M.SharedBytes)},
        {"flops", int64_t(M.Flops)}, {"static_shared", int64_t(M.StaticShared)}, {"dynamic_shared", int64_t(M.DynamicShared)},
        {"sectors_per_request", ratio(M.Total.GlobalSectors, M.Total.GlobalRequests)},
        {"sectors_per_ideal", ratio(M.Total.GlobalSectors, M.Total.IdealSectors)},
        {"wavefronts_per_ideal", ratio(M.Total.SharedWavefronts, M.Total.SharedRequests)},
        {"active_lanes", ratio(M.ActiveLanes, M.Instructions)}, {"occupancy_percent", Occ.Percent}, {"occupancy_limiter", Occ.Limiter},
        {"labels", std::move(Labels)}});
  }
  return llvm::json::Object{{"state", "simulated"}, {"launches", std::move(All)}};
}

std::vector<std::string> gate::counterLines(const std::vector<protocol::LaunchMetrics> &Launches, const CounterLimits &Limits, llvm::StringRef Arch) {
  constexpr size_t MostKernels = 8;
  std::vector<std::string> Lines;
  std::set<std::string> Said;
  for (const protocol::LaunchMetrics &M : Launches) {
    if (Lines.size() >= MostKernels || !Said.insert(M.Kernel).second)
      continue;
    // The name without its parameters and return type.
    llvm::StringRef Name = llvm::StringRef(M.Kernel).take_until([](char C) { return C == '('; });
    Name.consume_front("void ");
    std::string S = "counters: " + Name.str() + ":";
    if (M.Total.GlobalRequests)
      S += llvm::formatv(" {0:f1} sectors a request,", ratio(M.Total.GlobalSectors, M.Total.GlobalRequests));
    if (M.Total.SharedRequests)
      S += llvm::formatv(" {0:f2} shared wavefronts for each needed,", ratio(M.Total.SharedWavefronts, M.Total.SharedRequests));
    Occupancy Occ = occupancyOf(M, Arch);
    S += llvm::formatv(" {0:f1} active lanes, occupancy {1:f0} %", ratio(M.ActiveLanes, M.Instructions), Occ.Percent);
    for (const CounterLabel &L : labelLaunch(M, Limits, Arch))
      S += "; " + L.Name + " (" + L.Text + ")";
    Lines.push_back(std::move(S));
  }
  return Lines;
}
