#include "agent/policy/Vary.h"
#include "agent/policy/Knowledge.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>

using namespace kcheck;
using namespace kcheck::agent;

namespace {

constexpr size_t OptionsOfAStep = 8, OptionsOfAnother = 2;

class Variations {
public:
  explicit Variations(const VaryRequest &R) : R(R), Was(R.Of.Steps) {}

  std::vector<Variation> all(const std::vector<Built> &At) {
    for (size_t I = 0; I < Was.size(); ++I) {
      put(I, 1, {}, "without " + Was[I].Action, "-" + Was[I].Action, -worthAt(I));
      if (I < At.size() && At[I].Error.empty())
        for (const ActionSite &S : At[I].Sites)
          if (S.WhyNot.empty() && !llvm::StringRef(S.Action).starts_with("fix-"))
            S.Action == Was[I].Action ? other(I, S) : another(I, S);
    }
    llvm::stable_sort(Out, [](const Variation &A, const Variation &B) { return A.LogGain > B.LogGain; });
    return std::move(Out);
  }

private:
  /// The sequence with Count steps from I on replaced. Lines behind the change are no longer what they were.
  void put(size_t I, size_t Count, std::vector<Step> New, std::string What, std::string Place, double LogGain) {
    Variation V;
    V.Steps.assign(Was.begin(), Was.begin() + long(I));
    llvm::append_range(V.Steps, New);
    for (size_t K = I + Count; K < Was.size(); ++K) {
      V.Steps.push_back(Was[K]);
      V.Steps.back().Line = 0;
    }
    V.What = std::move(What), V.Place = std::move(Place), V.LogGain = LogGain;
    if (!V.Steps.empty())
      Out.push_back(std::move(V));
  }

  double worthAt(size_t I) const {
    if (auto Cost = termCost(Was[I].Set, {})) // what a tile is worth shows in what a term costs then
      return std::log(PlainTermCost / *Cost) + R.Worth(Was[I], {});
    return R.Worth(Was[I], {});
  }

  /// Other parameters of a step, or another place for it.
  void other(size_t I, const ActionSite &S) {
    std::vector<std::pair<double, Step>> All;
    double Now = R.Worth(Was[I], {});
    auto Cost = termCost(Was[I].Set, {});
    for (const SiteOption &O : S.Options) {
      Step New{S.Action, O.Set, S.Kernel, S.Line};
      if (O.Set == Was[I].Set && (S.Line == Was[I].Line || !Was[I].Line))
        continue;
      double Gain = R.Worth(New, O.Effect) - Now;
      if (auto Then = termCost(O.Set, O.Effect); Then && Cost)
        Gain += 0.5 * std::log(*Cost / *Then);
      All.push_back({Gain, std::move(New)});
    }
    llvm::stable_sort(All, [](auto &A, auto &B) { return A.first > B.first; });
    for (size_t K = 0; K < All.size() && K < OptionsOfAStep; ++K)
      put(I, 1, {All[K].second}, toString(All[K].second) + " instead of " + toString(Was[I]), "~" + S.Action, All[K].first);
  }

  /// An action that is not in the sequence, in front of a step or instead of it.
  void another(size_t I, const ActionSite &S) {
    if (!R.May(S.Action) || llvm::any_of(Was, [&](const Step &X) { return X.Action == S.Action; }))
      return;
    std::vector<std::pair<double, Step>> All;
    for (const SiteOption &O : S.Options)
      All.push_back({R.Worth({S.Action, O.Set, S.Kernel, S.Line}, O.Effect), {S.Action, O.Set, S.Kernel, S.Line}});
    if (S.Options.empty())
      All.push_back({R.Worth({S.Action, {}, S.Kernel, S.Line}, {}), {S.Action, {}, S.Kernel, S.Line}});
    llvm::stable_sort(All, [](auto &A, auto &B) { return A.first > B.first; });
    for (size_t K = 0; K < All.size() && K < OptionsOfAnother; ++K) {
      put(I, 0, {All[K].second}, toString(All[K].second) + " in front of " + Was[I].Action, "+" + S.Action, All[K].first);
      put(I, 1, {All[K].second}, toString(All[K].second) + " instead of " + toString(Was[I]), "/" + S.Action, All[K].first - worthAt(I));
    }
  }

  const VaryRequest &R;
  const std::vector<Step> &Was;
  std::vector<Variation> Out;
};

} // namespace

std::vector<Variation> agent::variationsOf(const VaryRequest &R, Workbench &Bench) {
  std::vector<BuildRequest> Prefixes;
  for (size_t I = 0; I < R.Of.Steps.size(); ++I)
    Prefixes.push_back({R.Known.Source, {R.Of.Steps.begin(), R.Of.Steps.begin() + long(I)}, true});
  std::vector<Variation> All = Variations(R).all(Bench.build(Prefixes));
  // Only what is worth a build, and not the same change with every parameter there is.
  std::map<std::string, unsigned> Places;
  llvm::erase_if(All, [&](const Variation &V) { return ++Places[V.Place] > 4; });
  if (All.size() > R.Most)
    All.resize(R.Most);
  std::vector<BuildRequest> Requests;
  for (const Variation &V : All)
    Requests.push_back({R.Known.Source, V.Steps, false});
  std::vector<Built> Results = Bench.build(Requests);
  std::vector<Variation> Out;
  for (size_t I = 0; I < All.size() && I < Results.size(); ++I) {
    if (!Results[I].Error.empty())
      continue;
    All[I].Hash = Results[I].Hash;
    if (!Results[I].Steps.empty())
      All[I].Steps = std::move(Results[I].Steps);
    Out.push_back(std::move(All[I]));
  }
  return Out;
}
