// The policy without a model: a beam search over action sequences. It knows actions, their parameters and predicted
// effects, the diagnosis of each parent and what earlier rounds showed; it reads no source and no name.
//
//   parents ─► moves (site, parameters, predicted gain) ─► build the promising ones ─► their moves ─► … ─► the best states,
//   no two alike; from the second round on also the best sequences with one step changed (Vary.h)
//
#include "agent/policy/Builtin.h"
#include "agent/policy/Knowledge.h"
#include "agent/policy/Learned.h"
#include "agent/policy/Vary.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <cmath>
#include <random>
#include <set>

using namespace kcheck;
using namespace kcheck::agent;

namespace {

constexpr double Telling = 0.15; ///< share of the time from which on a label is a reason to rebuild something …
constexpr double Beside = 0.4;   ///< … if it is also this part of the strongest, for a cure of a side issue cures little
constexpr unsigned MostParents = 3, VariedParents = 2, FirstDepth = 5, LaterDepth = 3, MovesASite = 6;

/// A source that may be proposed or built upon, with what is expected of it.
struct State {
  const Parent *From = nullptr;
  std::vector<Step> Steps; ///< beyond the parent's
  std::string Text, Hash;
  std::vector<ActionSite> Sites;
  std::map<std::string, double> Load; ///< label -> share of the time
  std::set<std::string> Reasons;      ///< labels for which a remedy may be tried
  std::optional<double> TermCost;
  double Ms = 0;                      ///< expected
  double Noise = 1;                   ///< what the seed makes of equals
  std::string Varies, Place;          ///< of a variation: what is changed, and which change it is (Vary.h)
};

struct Move {
  size_t Of = 0; ///< state
  Step Do;
  std::optional<double> TermCost;
  double Gain = 1, Score = 0;
};

class Search {
public:
  explicit Search(const PolicyRequest &R) : R(R), Measured(R.Context.Rounds, [&](llvm::StringRef Action) { return usual(R, Action); }), Random(R.Seed) {
    for (const Round &X : R.Context.Rounds)
      for (const Outcome &O : X.Outcomes)
        if (!O.Hash.empty())
          Known.insert(O.Hash);
  }

  Proposal run() {
    start();
    size_t From = 0;
    for (unsigned Depth = R.Round == 1 ? FirstDepth : LaterDepth; Depth > 0 && From < States.size(); --Depth)
      From = expand(From);
    Grown = States.size();
    for (size_t I = 0; I < Parents && I < VariedParents; ++I)
      vary(I);
    return choose();
  }

private:
  /// How the code does what it does, not which unit is short: there beside any of those, and cured by itself.
  static bool pattern(llvm::StringRef Label) { return Label == "coalescing" || Label == "bank_conflicts" || Label == "divergence"; }

  /// What an action brings as a rule, by what limits the best candidate.
  static double usual(const PolicyRequest &R, llvm::StringRef Action) {
    if (R.Context.Parents.empty())
      return 0;
    State S;
    load(S, R.Context.Parents.front());
    return -std::log(1 - reach(S, Action));
  }

  static void load(State &S, const Parent &P) {
    for (const Bottleneck &B : P.Why.Found)
      S.Load[B.Label] = std::max(S.Load[B.Label], B.Weight * B.Confidence);
    if (S.Load.empty())
      S.Load = {{"memory", .3}, {"compute", .3}, {"latency", .3}};
    double Strongest = 0;
    for (const auto &[Label, W] : S.Load)
      Strongest = std::max(Strongest, W);
    for (const auto &[Label, W] : S.Load)
      if (W >= Telling && (W >= Beside * Strongest || pattern(Label)))
        S.Reasons.insert(Label);
  }

  /// Whether anything that the diagnosis found calls for the action.
  static bool calledFor(const State &S, llvm::StringRef Action) {
    const Helps &H = knowledgeOf(Action);
    auto Found = [&](llvm::StringRef Label) { return S.Reasons.count(Label.str()) != 0; };
    auto Remedied = llvm::ArrayRef(H.Against).take_front(H.Remedies);
    return Remedied.empty() || llvm::any_of(Remedied, [&](const auto &A) { return Found(A.first); }) || (!H.OrAllOf.empty() && llvm::all_of(H.OrAllOf, Found));
  }

  void start() {
    for (const Parent &P : llvm::ArrayRef(R.Context.Parents).take_front(MostParents)) {
      State S;
      S.From = &P;
      S.Text = P.Text;
      S.Sites = P.Sites;
      S.Ms = P.Ms;
      S.TermCost = termCost(P.Steps);
      load(S, P);
      Floor = std::max(Floor, P.Measured.FloorMs);
      States.push_back(std::move(S));
    }
    Parents = States.size();
  }

  double jitter() { return 0.92 + 0.16 * double(Random() >> 11) / double(uint64_t(1) << 53); }

  /// Share of the time that the action should take away.
  static double reach(const State &S, llvm::StringRef Action) {
    double All = 0, Away = 0;
    for (const auto &[Label, W] : S.Load)
      All += W;
    for (auto [Label, Share] : knowledgeOf(Action).Against)
      if (auto It = S.Load.find(Label.str()); It != S.Load.end())
        Away += Share * It->second;
    return std::min(0.85, All > 0 ? Away / std::max(1.0, All) : 0);
  }

  static double shareOf(const State &S, llvm::StringRef Action, llvm::StringRef Only) {
    double All = 0;
    for (const auto &[Label, W] : S.Load)
      All += W;
    for (auto [Label, Share] : knowledgeOf(Action).Against)
      if (auto It = S.Load.find(Label.str()); Label == Only && It != S.Load.end())
        return std::min(0.85, Share * It->second / std::max(1.0, All));
    return 0;
  }

  /// Doing it again at the same place undoes it, or could have been done so at once: another setting is another candidate.
  static bool done(const State &S, const Step &Do) {
    bool OnePlace = llvm::count_if(S.Sites, [&](const ActionSite &X) { return X.Action == Do.Action && X.Kernel == Do.Kernel && X.WhyNot.empty(); }) == 1;
    return llvm::any_of(S.Steps, [&](const Step &X) {
      return X.Action == Do.Action && ((X.Kernel == Do.Kernel && (OnePlace || X.Line == Do.Line)) || (X.Set == Do.Set && Do.Set.empty()));
    });
  }

  void moves(size_t Of, std::vector<Move> &Out) {
    const State &S = States[Of];
    for (const ActionSite &Site : S.Sites) {
      if (!Site.WhyNot.empty() || llvm::StringRef(Site.Action).starts_with("fix-") || !calledFor(S, Site.Action))
        continue;
      double Reach = reach(S, Site.Action);
      std::vector<Move> Here;
      for (size_t I = 0; I < Site.Options.size(); ++I) {
        const SiteOption &O = Site.Options[I];
        Move M;
        M.Of = Of;
        M.Do = {Site.Action, O.Set, Site.Kernel, Site.Line};
        M.TermCost = termCost(O.Set, O.Effect);
        M.Gain = std::exp(Measured.worth(M.Do, std::log(gain(S, M, Reach, I, O.Effect))));
        Here.push_back(std::move(M));
      }
      if (Site.Options.empty())
        Here.push_back({Of, {Site.Action, {}, Site.Kernel, Site.Line}, std::nullopt, std::exp(Measured.worth({Site.Action, {}, "", 0}, -std::log(1 - Reach))), 0});
      llvm::erase_if(Here, [&](const Move &M) { return done(S, M.Do); });
      for (Move &M : Here)
        M.Score = S.Ms / M.Gain * jitter();
      llvm::stable_sort(Here, [](const Move &A, const Move &B) { return A.Score < B.Score; });
      if (Here.size() > MovesASite)
        Here.resize(MovesASite);
      llvm::append_range(Out, Here);
    }
  }

  static double gain(const State &S, const Move &M, double Reach, size_t Place, const llvm::json::Object &Effect) {
    if (M.TermCost) {
      double Before = S.TermCost.value_or(PlainTermCost);
      double Gain = std::pow(Before / *M.TermCost, std::min(1.0, Reach / 0.5));
      if (!S.TermCost) // tiles are loaded in the order of memory, whatever order the terms had
        Gain /= 1 - shareOf(S, M.Do.Action, "coalescing");
      if (S.TermCost && *M.TermCost > Before * 0.97 && *M.TermCost < Before * 1.25)
        Gain = std::max(Gain, 1.03 - 0.02 * double(differing(S, M.Do))); // another tile of the same cost: the clock decides
      return Gain;
    }
    double Log = -std::log(1 - Reach) * std::max(0.4, 1 - 0.06 * double(Place)); // the action's best guess comes first
    double Occupancy = Effect.getNumber("occupancy_at_most").value_or(1);
    if (Occupancy < 0.5)
      Log -= 0.3 * (0.5 - Occupancy);
    return std::exp(Log);
  }

  /// Parameters in which the step differs from the last one of its action.
  static unsigned differing(const State &S, const Step &Do) {
    std::vector<const Step *> All;
    for (const Step &X : S.From->Steps)
      All.push_back(&X);
    for (const Step &X : S.Steps)
      All.push_back(&X);
    for (auto It = All.rbegin(); It != All.rend(); ++It)
      if ((*It)->Action == Do.Action) {
        unsigned N = 0;
        for (const auto &[Name, V] : Do.Set) {
          auto Was = (*It)->Set.find(Name);
          N += Was == (*It)->Set.end() || Was->second != V;
        }
        return N;
      }
    return 0;
  }

  /// Builds the most promising moves of the states from From on; the new states stand behind.
  size_t expand(size_t From) {
    std::vector<Move> All;
    for (size_t I = From; I < States.size(); ++I)
      moves(I, All);
    llvm::stable_sort(All, [](const Move &A, const Move &B) { return A.Score < B.Score; });
    std::vector<Move> Chosen;
    std::map<std::string, unsigned> OfAction;
    std::map<size_t, unsigned> OfState;
    for (Move &M : All) {
      if (Chosen.size() >= std::max(4u, R.Wanted * 3 / 2))
        break;
      if (OfAction[M.Do.Action] >= 4 || OfState[M.Of] >= 6)
        continue;
      ++OfAction[M.Do.Action], ++OfState[M.Of];
      Chosen.push_back(std::move(M));
    }
    std::vector<BuildRequest> Requests;
    for (const Move &M : Chosen)
      Requests.push_back({States[M.Of].Text, {M.Do}, true});
    std::vector<Built> Results = R.Bench.build(Requests);
    size_t Next = States.size();
    for (size_t I = 0; I < Results.size() && I < Chosen.size(); ++I)
      add(Chosen[I], std::move(Results[I]));
    return Next;
  }

  void add(const Move &M, Built B) {
    if (!B.Error.empty() || !Known.insert(B.Hash).second)
      return;
    const State &Was = States[M.Of];
    State S;
    S.From = Was.From;
    S.Steps = Was.Steps;
    Step Used = B.Steps.empty() ? M.Do : B.Steps.back();
    S.Steps.push_back(std::move(Used));
    S.Text = std::move(B.Text), S.Hash = std::move(B.Hash), S.Sites = std::move(B.Sites);
    S.TermCost = M.TermCost ? M.TermCost : Was.TermCost;
    S.Ms = std::max(Was.Ms / M.Gain, Floor);
    S.Noise = jitter();
    S.Load = Was.Load, S.Reasons = Was.Reasons;
    for (auto [Label, Share] : knowledgeOf(M.Do.Action).Against) // what is left weighs more
      if (auto It = S.Load.find(Label.str()); It != S.Load.end()) {
        It->second *= 1 - Share;
      }
    shareOut(Was.Load, S.Load);
    States.push_back(std::move(S));
  }

  /// What took its time beside what is gone weighs more now, known or not. A pattern that is mended does not come back by that.
  static void shareOut(const std::map<std::string, double> &Was, std::map<std::string, double> &Is) {
    constexpr double Unknown = 0.2;
    for (const char *Label : {"memory", "compute", "latency"})
      Is[Label] = std::max(Is[Label], Unknown);
    double All = 0, Left = 0;
    for (const auto &[Label, W] : Was)
      All += W;
    for (const auto &[Label, W] : Is)
      (pattern(Label) ? All : Left) += pattern(Label) ? -W : W;
    for (auto &[Label, W] : Is)
      if (Left > 0 && All > Left && !pattern(Label))
        W = std::min(1.0, W * All / Left);
  }

  /// A parent's sequence with one step changed.
  void vary(size_t Of) {
    const Parent &P = *States[Of].From;
    if (P.Root != "start" || P.Steps.empty())
      return;
    auto worth = [&](const Step &S, const llvm::json::Object &) {
      return Measured.worth(S, termCost(S.Set, {}) ? 0 : -std::log(1 - reach(States[Of], S.Action)));
    };
    auto may = [&](llvm::StringRef Action) { return calledFor(States[Of], Action); };
    for (Variation &V : variationsOf({R.Context, P, worth, may, 2 * R.Wanted}, R.Bench)) {
      if (!Known.insert(V.Hash).second)
        continue;
      State S;
      S.From = &P;
      S.Ms = P.Ms / std::exp(std::clamp(V.LogGain, -1.0, 0.7));
      S.Noise = jitter();
      S.Steps = std::move(V.Steps), S.Varies = std::move(V.What), S.Place = std::move(V.Place);
      States.push_back(std::move(S));
    }
  }

  static std::string shapeOf(const State &S) {
    std::string Text;
    for (const Step &X : S.Steps)
      Text += X.Action + " ";
    return Text;
  }

  /// The best by expectation, but neither eight times the same nor, at first, long sequences only: one change at a time tells more.
  Proposal choose() {
    std::vector<size_t> Left, Varied;
    for (size_t I = Parents; I < States.size(); ++I)
      (I < Grown ? Left : Varied).push_back(I);
    std::map<std::string, unsigned> Shapes;
    std::set<std::string> SingleActions;
    std::vector<size_t> Picked;
    auto alike = [&](size_t I) { return States[I].Varies.empty() ? shapeOf(States[I]) : States[I].Place; };
    auto score = [&](size_t I) { return States[I].Ms * States[I].Noise * (1 + 0.12 * Shapes[alike(I)]); };
    auto take = [&](std::vector<size_t> &From, auto Score) {
      size_t At = best(From, Score), I = From[At];
      ++Shapes[alike(I)];
      if (States[I].Steps.size() == 1)
        SingleActions.insert(States[I].Steps.front().Action);
      Picked.push_back(I);
      From.erase(From.begin() + long(At));
    };
    // Half of a later round goes to variations of the best, and more where nothing else promises a gain.
    size_t Growing = llvm::count_if(Left, [&](size_t I) { return States.front().Ms > 1.02 * States[I].Ms; });
    size_t Vary = std::min(Varied.size(), std::max<size_t>(R.Wanted / 2, R.Wanted - std::min<size_t>(R.Wanted, Growing)));
    while (Picked.size() < Vary)
      take(Varied, score);
    size_t Singles = R.Round == 1 ? R.Wanted / 3 : 0;
    while (Picked.size() + Singles < R.Wanted && !Left.empty())
      take(Left, score);
    while (Picked.size() < R.Wanted && !Left.empty())
      take(Left, [&](size_t I) { return score(I) * (States[I].Steps.size() == 1 && !SingleActions.count(States[I].Steps.front().Action) ? 1 : 1e6); });
    while (Picked.size() < R.Wanted && !Varied.empty())
      take(Varied, score);
    Proposal P;
    P.Analysis = analysis();
    for (size_t I : Picked)
      P.Candidates.push_back(candidate(States[I]));
    return P;
  }

  template <typename Fn> static size_t best(const std::vector<size_t> &Left, Fn Score) {
    size_t At = 0;
    for (size_t I = 1; I < Left.size(); ++I)
      if (Score(Left[I]) < Score(Left[At]))
        At = I;
    return At;
  }

  std::string analysis() const {
    std::string Text;
    for (size_t I = 0; I < Parents; ++I) {
      const Parent &P = *States[I].From;
      Text += llvm::formatv("`{0}` takes {1:f4} ms", P.Id, P.Ms);
      if (P.Why.RooflineShare > 0)
        Text += llvm::formatv(", {0:f0} % of the {1} roofline", P.Why.RooflineShare * 100, P.Why.Ceiling);
      for (size_t K = 0; K < P.Why.Found.size() && K < 3; ++K)
        Text += (K ? ", then " : "; limited by ") + P.Why.Found[K].Label + " (" + P.Why.Found[K].Evidence + ")";
      Text += ". ";
    }
    return Text;
  }

  Candidate candidate(const State &S) const {
    Candidate C;
    C.Steps = S.Steps;
    if (!S.Varies.empty()) {
      C.Parent = "start";
      C.Varies = S.From->Id;
      C.PredictedGain = S.Ms > 0 ? S.From->Ms / S.Ms : 0;
      C.Hypothesis = "what made `" + S.From->Id + "`, " + S.Varies + ": one change tells what that step is worth";
      return C;
    }
    C.Parent = S.From->Id;
    C.PredictedGain = S.Ms > 0 ? S.From->Ms / S.Ms : 0;
    const Diagnosis &D = S.From->Why;
    C.Hypothesis = D.Found.empty() ? std::string("nothing is known to limit it") : "limited by " + D.Found.front().Label + " (" + D.Found.front().Evidence + ")";
    std::string Reasons;
    std::set<llvm::StringRef> Said;
    for (const Step &X : S.Steps)
      if (Said.insert(X.Action).second)
        Reasons += (Reasons.empty() ? "" : "; ") + X.Action + ": " + knowledgeOf(X.Action).Because.str();
    C.Hypothesis += ". " + Reasons;
    return C;
  }

  const PolicyRequest &R;
  Learned Measured;
  std::mt19937_64 Random;
  std::vector<State> States; ///< the parents first
  size_t Parents = 0; ///< so many states are parents …
  size_t Grown = 0;   ///< … those up to here were grown from them, and the rest varies the best
  std::set<std::string> Known;
  double Floor = 0;
};

class Builtin : public Policy {
public:
  std::string name() const override { return "builtin"; }
  Proposal propose(const PolicyRequest &R) override { return Search(R).run(); }
};

} // namespace

std::unique_ptr<Policy> agent::builtinPolicy() { return std::make_unique<Builtin>(); }
