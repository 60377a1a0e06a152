#include "agent/policy/Learned.h"
#include "agent/policy/Knowledge.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>

using namespace kcheck;
using namespace kcheck::agent;

static const Outcome *find(const std::vector<Round> &Rounds, const std::string &Id) {
  for (const Round &R : Rounds)
    for (const Outcome &O : R.Outcomes)
      if (O.What.Id == Id)
        return &O;
  return nullptr;
}

std::optional<std::vector<Step>> agent::chainOf(const std::vector<Round> &Rounds, const Outcome &O) {
  std::vector<Step> All;
  if (O.What.Source)
    return std::nullopt;
  if (O.What.Parent != "start" && !O.What.Parent.empty()) {
    const Outcome *Parent = find(Rounds, O.What.Parent);
    auto Before = Parent ? chainOf(Rounds, *Parent) : std::nullopt;
    if (!Before)
      return std::nullopt;
    All = std::move(*Before);
  }
  llvm::append_range(All, O.What.Steps);
  return All;
}

static std::string nameOf(const Step &S, const std::string &Parameter, int64_t V) { return S.Action + ":" + Parameter + "=" + std::to_string(V); }

size_t Learned::part(const std::string &Name, double Prior, double Hold) {
  auto [It, New] = Index.try_emplace(Name, Parts.size());
  if (New)
    Parts.push_back({Prior, Prior, Hold, 0});
  return It->second;
}

Learned::Learned(const std::vector<Round> &Rounds, const std::function<double(llvm::StringRef)> &Expected) {
  add(Rounds, Expected);
  fit();
}

void Learned::add(const std::vector<Round> &Rounds, const std::function<double(llvm::StringRef)> &Expected) {
  constexpr double Failed = -0.7; // what is wrong is worth less than what it came from
  double Best = 0;
  for (const Round &X : Rounds)
    for (const Outcome &O : X.Outcomes) {
      const Outcome *Parent = find(Rounds, O.What.Parent);
      double Gain = O.good() ? std::log(O.Speedup) : (Parent && Parent->Speedup > 0 ? std::log(Parent->Speedup) : 0) + Failed;
      auto Chain = O.good() || O.Reached >= Stage::Static ? chainOf(Rounds, O) : std::nullopt;
      if (!Chain || Chain->empty() || O.Failure == "duplicate")
        continue;
      Row R;
      R.Gain = Gain;
      if (auto Cost = termCost(*Chain)) // what is known of tiles need not be learned
        R.Gain -= std::log(PlainTermCost / *Cost);
      for (const Step &S : *Chain) {
        R.Parts.push_back(part(S.Action, termCost(S.Set, {}) ? 0 : Expected(S.Action), 0.5));
        for (const auto &[Name, V] : S.Set)
          R.Parts.push_back(part(nameOf(S, Name, V), 0, 1));
      }
      for (size_t P : R.Parts)
        ++Parts[P].Seen;
      R.Weight = Gain; // for now
      Best = std::max(Best, Gain);
      Rows.push_back(std::move(R));
    }
  for (Row &R : Rows) {
    double Behind = Best - R.Weight;
    R.Weight = 1 / (1 + 4 * Behind * Behind);
  }
}

/// Least squares with every part held to its prior, one part after another.
void Learned::fit() {
  for (unsigned Sweep = 0; Sweep < 60; ++Sweep)
    for (size_t P = 0; P < Parts.size(); ++P) {
      double Sum = Parts[P].Hold * Parts[P].Prior, Weight = Parts[P].Hold;
      for (const Row &R : Rows) {
        double Times = double(llvm::count(R.Parts, P));
        if (Times == 0)
          continue;
        double Rest = R.Gain;
        for (size_t Q : R.Parts)
          Rest -= Q == P ? 0 : Parts[Q].Value;
        Sum += R.Weight * Times * Rest;
        Weight += R.Weight * Times * Times;
      }
      Parts[P].Value = Sum / Weight;
    }
}

unsigned Learned::seen(llvm::StringRef Action) const {
  auto It = Index.find(Action.str());
  return It == Index.end() ? 0 : Parts[It->second].Seen;
}

double Learned::measured(const Step &S) const {
  double Sum = 0;
  if (auto It = Index.find(S.Action); It != Index.end())
    Sum += Parts[It->second].Value;
  for (const auto &[Name, V] : S.Set)
    if (auto It = Index.find(nameOf(S, Name, V)); It != Index.end())
      Sum += Parts[It->second].Value;
  return std::clamp(Sum, -2.0, 2.0);
}

double Learned::worth(const Step &S, double Prior) const {
  unsigned N = seen(S.Action);
  if (termCost(S.Set, {})) // measured on top of what tiles are known to cost
    return Prior + measured(S) * N / (N + 1.0);
  return (Prior + N * measured(S)) / (N + 1.0);
}
