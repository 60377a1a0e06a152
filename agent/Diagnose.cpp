#include "agent/Diagnosis.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>

using namespace kcheck;
using namespace kcheck::agent;

namespace {

// The same bounds as the labels of a check (docs/design.md, counters).
constexpr double HighThroughput = 60, LowOccupancy = 50, FewLanes = 24, ManySectors = 1.5, ManyWavefronts = 1.2;

/// The numbers of one kernel, by name.
struct Numbers {
  const KernelProfile &K;
  std::optional<double> get(const char *Name) const {
    auto It = K.Values.find(Name);
    return It == K.Values.end() ? std::nullopt : std::optional(It->second);
  }
  unsigned line(const char *Name) const {
    auto It = K.Lines.find(Name);
    return It == K.Lines.end() ? 0 : It->second;
  }
};

class Rules {
public:
  Rules(const Measurement &M, const StaticFacts &S, Diagnosis &D) : M(M), S(S), D(D), Trust(M.Modelled ? 0.6 : 0.9) {}

  void run() {
    roofline();
    if (!M.Kernels.empty()) {
      Numbers N{M.Kernels.front()};
      D.MemoryPct = N.get("memory_pct"), D.ComputePct = N.get("compute_pct");
      D.OccupancyPct = N.get("occupancy_pct"), D.ActiveLanes = N.get("active_lanes");
      throughput(N);
      coalescing(N);
      bankConflicts(N);
      divergence(N);
      occupancy(N);
    }
    if (!D.MemoryPct && !D.ComputePct)
      fromRoofline();
    fromFindings();
    llvm::stable_sort(D.Found, [](const Bottleneck &A, const Bottleneck &B) { return A.Weight * A.Confidence > B.Weight * B.Confidence; });
  }

private:
  void add(const char *Label, double Weight, double Confidence, std::string Evidence, unsigned Line = 0, std::string By = "") {
    if (Line)
      Evidence += ", most at line " + std::to_string(Line);
    D.Found.push_back({Label, std::clamp(Weight, 0.0, 1.0), Confidence, std::move(Evidence), std::move(By), Line});
  }

  /// Which ceiling the operator meets first, and how far off the kernel is.
  void roofline() {
    double Memory = M.CopyGBs > 0 ? M.Bytes / (M.CopyGBs * 1e6) : 0, Compute = M.FmaGflops > 0 ? M.Flops / (M.FmaGflops * 1e6) : 0;
    if (Memory > 0 || Compute > 0)
      D.Ceiling = Memory >= Compute ? "memory" : "compute";
    D.RooflineShare = std::min(1.0, M.rooflineShare());
  }

  void throughput(const Numbers &N) {
    if (!D.MemoryPct || !D.ComputePct)
      return;
    double Memory = *D.MemoryPct, Compute = *D.ComputePct, Larger = std::max(Memory, Compute);
    std::string Text = llvm::formatv("memory at {0:f0} %, compute at {1:f0} % of the peak", Memory, Compute);
    if (Larger >= HighThroughput) {
      add(Memory >= Compute ? "memory" : "compute", Larger / 100, Trust, Text);
      if (double Other = std::min(Memory, Compute); Other >= HighThroughput) // both pipes are full: which one is fuller says little
        add(Memory >= Compute ? "compute" : "memory", Other / 200, Trust, Text);
      return;
    }
    const std::pair<const std::string, double> *Top = nullptr;
    for (const auto &V : N.K.Values)
      if (llvm::StringRef(V.first).starts_with("stall_") && (!Top || V.second > Top->second))
        Top = &V;
    if (Top)
      Text += ", most stalls: " + Top->first.substr(6);
    add("latency", 1 - Larger / 100, Trust, Text);
  }

  void coalescing(const Numbers &N) {
    auto Sectors = N.get("global_sectors"), Ideal = N.get("ideal_sectors");
    if (!Sectors || !Ideal || *Ideal <= 0 || *Sectors / *Ideal <= ManySectors)
      return;
    double Ratio = *Sectors / *Ideal, Used = D.MemoryPct ? std::max(0.4, *D.MemoryPct / 100) : 0.7;
    add("coalescing", (1 - 1 / Ratio) * (0.5 + 0.5 * Used), 0.95, llvm::formatv("{0:f1} sectors for each that is needed", Ratio), N.line("global_sectors"));
  }

  void bankConflicts(const Numbers &N) {
    auto Waves = N.get("shared_wavefronts"), Conflicts = N.get("shared_conflicts");
    if (!Waves || !Conflicts || *Waves <= *Conflicts || *Waves / (*Waves - *Conflicts) <= ManyWavefronts)
      return;
    double Ratio = *Waves / (*Waves - *Conflicts), Used = N.get("shared_pct").value_or(70) / 100;
    add("bank_conflicts", (1 - 1 / Ratio) * std::max(0.2, Used), 0.95, llvm::formatv("{0:f1} wavefronts for each that is needed", Ratio), N.line("shared_wavefronts"));
  }

  void divergence(const Numbers &N) {
    if (!D.ActiveLanes || *D.ActiveLanes >= FewLanes)
      return;
    add("divergence", (1 - *D.ActiveLanes / 32) * 0.8, 0.8, llvm::formatv("{0:f1} of 32 lanes active an instruction", *D.ActiveLanes), N.line("active_lanes"));
  }

  /// Few resident warps cost time only where nothing else keeps the units busy.
  void occupancy(const Numbers &N) {
    if (!D.OccupancyPct || *D.OccupancyPct >= LowOccupancy)
      return;
    double Busy = std::max(D.MemoryPct.value_or(0), D.ComputePct.value_or(0)) / 100, Missing = (LowOccupancy - *D.OccupancyPct) / LowOccupancy;
    const std::string &By = N.K.OccupancyLimiter;
    add("occupancy", Missing * (1 - 0.8 * Busy), Trust, llvm::formatv("{0:f0} % of the warps that fit", *D.OccupancyPct).str() + (By.empty() ? "" : ", limited by " + By), 0, By);
  }

  /// Without counters the distance to the roofline still tells full pipes from waiting.
  void fromRoofline() {
    double Share = D.RooflineShare;
    if (Share <= 0)
      return;
    std::string Text = llvm::formatv("no counters; at {0:f0} % of the {1} roofline", Share * 100, D.Ceiling);
    if (Share * 100 >= HighThroughput)
      add(D.Ceiling == "compute" ? "compute" : "memory", Share, 0.5, Text);
    else
      add("latency", 1 - Share, 0.3, Text);
  }

  /// What the code shows is a hint where no counter speaks.
  void fromFindings() {
    static constexpr std::pair<const char *, const char *> Means[] = {
        {"uncoalesced", "coalescing"}, {"bank_conflict", "bank_conflicts"}, {"divergen", "divergence"}, {"vectoriz", "memory"}, {"occupancy", "occupancy"}};
    for (const std::string &Tag : S.Findings)
      for (auto [Part, Label] : Means)
        if (llvm::StringRef(Tag).contains(Part) && !D.find(Label))
          add(Label, 0.3, 0.4, "the code shows " + Tag);
  }

  const Measurement &M;
  const StaticFacts &S;
  Diagnosis &D;
  double Trust;
};

} // namespace

Diagnosis agent::diagnose(const Measurement &M, const StaticFacts &S) {
  Diagnosis D;
  if (M.timed())
    Rules(M, S, D).run();
  return D;
}
