#include "gate/dynamic/Combine.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>

using namespace kcheck;
using namespace kcheck::gate;

namespace {

struct Speed {
  std::string Device;
  double Value = 0; ///< baseline's time over the candidate's
};

std::optional<double> speedOf(const DynamicTrack &D) {
  const llvm::json::Object *P = D.Sections.getObject("perf");
  const llvm::json::Object *R = P ? P->getObject("ratio") : nullptr;
  auto V = R ? R->getNumber("value") : std::nullopt;
  return V && *V > 0 ? std::optional(1 / *V) : std::nullopt;
}

/// No verdict at all (a worker that cannot be reached) is worse than a pass, better than a fault.
int weight(const FileReport &F) { return !F.Error.empty() ? 4 : F.Dynamic.Result ? int(*F.Dynamic.Result) * 2 : 1; }

llvm::json::Object deviceJson(const FileReport &F) {
  const DynamicTrack &D = F.Dynamic;
  llvm::json::Object O{{"device", D.Device}, {"state", D.State}, {"why", D.Why}, {"reasons", llvm::json::Array(F.Reasons)}};
  O["verdict"] = D.Result ? llvm::json::Value(toString(*D.Result)) : llvm::json::Value(nullptr);
  for (const char *Key : {"compile", "sanitize", "numerics", "perf", "counters"})
    if (const llvm::json::Value *V = D.Sections.get(Key))
      O[Key] = *V;
  return O;
}

} // namespace

FileReport gate::combine(std::vector<FileReport> Each) {
  std::vector<Speed> Speeds;
  llvm::json::Array Devices;
  std::vector<CheckLine> Lines;
  size_t Worst = 0;
  for (size_t I = 0; I < Each.size(); ++I) {
    const DynamicTrack &D = Each[I].Dynamic;
    if (weight(Each[I]) > weight(Each[Worst]))
      Worst = I;
    Devices.push_back(deviceJson(Each[I]));
    std::string Text = D.Device + ": " + (D.Result ? toString(*D.Result).str() : "no verdict, " + D.Why);
    if (auto S = speedOf(D)) {
      Speeds.push_back({D.Device, *S});
      Text += llvm::formatv(", {0:F2} times the baseline's speed", *S).str();
    }
    Mark M = !D.Result ? Mark::NotRun : *D.Result == Verdict::Pass ? Mark::Ok : *D.Result == Verdict::Review ? Mark::Review : Mark::Reject;
    Lines.push_back({M, std::move(Text)});
  }
  FileReport F = std::move(Each[Worst]);
  if (!Speeds.empty()) {
    double Logs = 0;
    const Speed *Least = &Speeds.front();
    for (const Speed &S : Speeds) {
      Logs += std::log(S.Value);
      Least = S.Value < Least->Value ? &S : Least;
    }
    double Mean = std::exp(Logs / double(Speeds.size()));
    F.Dynamic.Sections["score"] = llvm::json::Object{{"unit", "speed over the baseline's"}, {"worst", Least->Value}, {"worst_device", Least->Device},
                                                     {"geometric_mean", Mean}, {"devices", int64_t(Speeds.size())}};
    Lines.push_back({Mark::Ok, llvm::formatv("score: worst {0:F2} ({1}), geometric mean {2:F2} over {3} device{4}", Least->Value, Least->Device, Mean, Speeds.size(),
                                             Speeds.size() == 1 ? "" : "s").str()});
  }
  F.Dynamic.Sections["devices"] = std::move(Devices);
  F.Dynamic.Lines.insert(F.Dynamic.Lines.begin(), Lines.begin(), Lines.end());
  return F;
}
