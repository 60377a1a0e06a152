#include "runner/gpu/Counters.h"
#include <algorithm>
#include <cstdio>

using namespace kcheck;
using namespace kcheck::gpu;
using protocol::CounterLabel;

namespace {

std::string show(const char *Format, double A, double B = 0) {
  char Text[128];
  snprintf(Text, sizeof Text, Format, A, B);
  return Text;
}

} // namespace

std::vector<CounterLabel> gpu::labelCounters(const std::map<std::string, double> &V, const protocol::KernelFacts &K, const LabelLimits &L) {
  auto get = [&](const char *Name, double Else) {
    auto It = V.find(Name);
    return It == V.end() ? Else : It->second;
  };
  std::vector<CounterLabel> All;
  std::vector<double> Weight; // which one explains most
  auto add = [&](const char *Name, double Value, double Limit, double Excess, std::string Text) {
    CounterLabel X;
    X.Name = Name;
    X.Value = Value;
    X.Limit = Limit;
    X.Text = std::move(Text);
    All.push_back(std::move(X));
    Weight.push_back(Excess);
  };
  double Memory = get("memory_pct", -1), Compute = get("compute_pct", -1);
  if (Memory >= 0 && Compute >= 0) {
    double Larger = std::max(Memory, Compute);
    if (Larger >= L.Throughput)
      add(Memory >= Compute ? "memory_throughput" : "compute_throughput", Larger, L.Throughput, 1 + Larger / 100,
          show("memory at %.0f %%, compute at %.0f %% of the peak", Memory, Compute));
    else
      add("latency_bottleneck", Larger, L.Throughput, 1,
          show("memory at %.0f %%, compute at %.0f %% of the peak", Memory, Compute));
    std::string Stall;
    double Most = 0;
    for (const auto &[Name, Value] : V)
      if (Name.starts_with("stall_") && Value > Most) {
        Most = Value;
        Stall = Name.substr(6);
      }
    if (!Stall.empty())
      All.back().Text += ", most stalls: " + Stall + show(" (%.1f warps an issue)", Most);
  }
  double Occupancy = get("occupancy_pct", K.Occupancy > 0 ? K.Occupancy * 100 : -1);
  if (Occupancy >= 0 && Occupancy < L.Occupancy)
    add("occupancy_limit", Occupancy, L.Occupancy, (L.Occupancy - Occupancy) / L.Occupancy,
        show("%.0f %% of the warps that fit", Occupancy) + (K.Limiter.empty() ? "" : ", limited by " + K.Limiter));
  double Lanes = get("active_lanes", -1);
  if (Lanes >= 0 && Lanes < L.ActiveLanes)
    add("warp_divergence", Lanes, L.ActiveLanes, 2 * (L.ActiveLanes - Lanes) / L.ActiveLanes, show("%.1f of 32 lanes active an instruction", Lanes));
  double Wavefronts = get("shared_wavefronts", 0), Conflicts = get("shared_conflicts", 0);
  if (Wavefronts > 0 && Wavefronts > Conflicts) {
    double Ratio = Wavefronts / (Wavefronts - Conflicts);
    if (Ratio > L.Wavefronts)
      add("bank_conflict", Ratio, L.Wavefronts, 2 * (1 - L.Wavefronts / Ratio), show("%.1f wavefronts for each that is needed", Ratio));
  }
  double Ideal = get("ideal_sectors", 0), Sectors = get("global_sectors", 0);
  if (Ideal > 0 && Sectors / Ideal > L.Sectors)
    add("uncoalesced", Sectors / Ideal, L.Sectors, 2 * (1 - L.Sectors * Ideal / Sectors), show("%.1f times the sectors that are needed", Sectors / Ideal));
  if (!All.empty())
    All[size_t(std::max_element(Weight.begin(), Weight.end()) - Weight.begin())].Primary = true;
  return All;
}
