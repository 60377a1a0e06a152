//===- World.h - a workbench whose kernels are lists of words ------------------------------===//
//
// A text is "word word ...". Each action adds its word where the word before it is there; time is what each bottleneck takes,
// and each word takes a share of one bottleneck away. Texts that begin with a mark are bad in the way that the mark says.
//
//===-------------------------------------------------------------------------------------===//
#ifndef KCHECK_TEST_UNIT_AGENT_WORLD_H
#define KCHECK_TEST_UNIT_AGENT_WORLD_H

#include "agent/Workbench.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

namespace kcheck::agent {

/// An action of this world: what it needs, which bottleneck it shrinks and by how much for each parameter.
struct WorldAction {
  std::string Name, Needs, Against;
  std::map<int64_t, double> Left; ///< parameter "v" -> what remains of the bottleneck; empty: no parameter, Rest remains
  double Rest = 1;
};

class World : public Workbench {
public:
  std::map<std::string, double> Costs{{"coalescing", 4}, {"memory", 2}, {"compute", 0.5}, {"bank_conflicts", 0}};
  std::vector<WorldAction> Rules;
  double FloorMs = 0.5;
  std::vector<std::string> Ran, InspectedTexts; ///< what reached the device, and the static track
  unsigned DieAfter = ~0u;                  ///< runs left before the "process" is killed
  struct Killed {};

  std::vector<ActionDoc> actions() const override { return {{"row-per-block", "a row for a block", {}}}; }

  static std::vector<std::string> words(llvm::StringRef Text) {
    llvm::SmallVector<llvm::StringRef> Parts;
    Text.split(Parts, ' ', -1, false);
    std::vector<std::string> Out;
    for (llvm::StringRef P : Parts)
      Out.push_back(P.str());
    return Out;
  }

  static bool has(llvm::StringRef Text, llvm::StringRef Word) {
    return llvm::any_of(words(Text), [&](const std::string &W) { return llvm::StringRef(W).split('=').first == Word; });
  }

  std::vector<ActionSite> sites(llvm::StringRef Text) const {
    std::vector<ActionSite> Out;
    for (const WorldAction &A : Rules) {
      ActionSite S;
      S.Action = A.Name, S.Kernel = "secret_name", S.Line = 3;
      if (has(Text, A.Name) || (!A.Needs.empty() && !has(Text, A.Needs)))
        S.WhyNot = "not here";
      for (const auto &[V, L] : A.Left)
        S.Options.push_back({{{"v", V}}, {}});
      if (A.Left.empty())
        S.Options.push_back({});
      Out.push_back(std::move(S));
    }
    return Out;
  }

  Built buildOne(const BuildRequest &R) const {
    Built B;
    B.Text = R.Text;
    for (const Step &S : R.Steps) {
      auto Sites = sites(B.Text);
      auto It = llvm::find_if(Sites, [&](const ActionSite &X) { return X.Action == S.Action && X.WhyNot.empty(); });
      if (It == Sites.end()) {
        B.Error = S.Action + " does not apply";
        return B;
      }
      B.Text += " " + S.Action + (S.Set.count("v") ? "=" + std::to_string(S.Set.at("v")) : "");
      B.Steps.push_back(S);
    }
    auto W = words(B.Text);
    std::set<std::string> Unordered(W.begin(), W.end());
    for (const std::string &X : Unordered)
      B.Hash += X + ";";
    if (R.WantSites)
      B.Sites = sites(B.Text);
    return B;
  }
  std::vector<Built> build(const std::vector<BuildRequest> &All) override {
    std::vector<Built> Out;
    for (const BuildRequest &R : All)
      Out.push_back(buildOne(R));
    return Out;
  }

  std::vector<Inspected> inspect(const std::vector<InspectRequest> &All) override {
    std::vector<Inspected> Out;
    for (const InspectRequest &R : All) {
      InspectedTexts.push_back(R.Text);
      Inspected X;
      if (R.GuardedBy && has(R.Text, "@cheat"))
        X.Rejected = true, X.Reached = Stage::Guard, X.Failure = "launcher_changed", X.Message = "the signature changed";
      else if (has(R.Text, "@static"))
        X.Rejected = true, X.Failure = "barrier_divergence", X.Message = "12:3 barrier_divergence: threads part";
      Out.push_back(std::move(X));
    }
    return Out;
  }

  Measurement measure(llvm::StringRef Text) const {
    std::map<std::string, double> C = Costs;
    for (const std::string &W : words(Text)) {
      auto [Name, V] = llvm::StringRef(W).split('=');
      for (const WorldAction &A : Rules)
        if (A.Name == Name) {
          int64_t N = 0;
          V.getAsInteger(10, N);
          C[A.Against] *= A.Left.count(N) ? A.Left.at(N) : A.Rest;
        }
    }
    Measurement M;
    M.Device = "world";
    double Sum = FloorMs;
    for (auto &[L, X] : C)
      Sum += X;
    M.Ms = M.LowMs = M.HighMs = Sum;
    M.FloorMs = FloorMs;
    M.Bytes = FloorMs * 1e6, M.CopyGBs = 1;
    KernelProfile K;
    K.Kernel = "secret_name";
    K.Values["memory_pct"] = 100 * std::min(0.95, (C["memory"] + FloorMs) / Sum);
    K.Values["compute_pct"] = 100 * std::min(0.95, C["compute"] / Sum);
    K.Values["occupancy_pct"] = 100;
    K.Values["active_lanes"] = 32;
    K.Values["ideal_sectors"] = 100;
    K.Values["global_sectors"] = 100 * (1 + 8 * C["coalescing"] / Sum);
    K.Values["shared_wavefronts"] = 100 * (1 + 8 * C["bank_conflicts"] / Sum);
    K.Values["shared_conflicts"] = 800 * C["bank_conflicts"] / Sum;
    M.Kernels.push_back(std::move(K));
    return M;
  }

  std::vector<RunResult> run(const std::vector<std::string> &Texts, const std::function<void(size_t, const RunResult &)> &Done) override {
    std::vector<RunResult> Out;
    for (size_t I = 0; I < Texts.size(); ++I) {
      if (!DieAfter--)
        throw Killed();
      Ran.push_back(Texts[I]);
      RunResult R;
      if (has(Texts[I], "@wrong"))
        R.Verdict = "REJECT", R.Failure = "wrong_result", R.Message = "1:1 wrong_result: element 7";
      else
        R.Verdict = "PASS", R.Measured = measure(Texts[I]);
      Out.push_back(R);
      Done(I, R);
    }
    return Out;
  }

  RunResult regress(const std::string &Text) override {
    RunResult R;
    R.Verdict = "PASS";
    Measurement M = measure(Text);
    R.Measured.Shapes = {{"n=1", has(Text, "narrow") ? 0.4 : 0.9, 0}, {"n=100", M.Ms, 0}};
    return R;
  }
};

/// Actions as the builtin policy knows them, in a chain and beside it.
inline std::vector<WorldAction> usualRules() {
  return {{"row-per-block", "", "coalescing", {{64, .4}, {128, .15}, {256, .1}}},
          {"vectorize-loads", "row-per-block", "memory", {{2, .6}, {4, .3}}},
          {"unroll", "row-per-block", "memory", {{2, .9}, {4, .8}}},
          {"pad-shared", "", "bank_conflicts", {}, .1},
          {"swizzle-shared", "", "bank_conflicts", {}, .2},
          {"fast-math", "", "compute", {{0, .9}, {1, .7}}},
          {"hoist-invariant", "", "compute", {}, .8},
          {"double-literal", "", "compute", {}, 1.0},
          {"block-shape", "", "none", {{64, 1.2}, {128, 1.1}, {256, 1.0}, {512, 1.3}}, 1},
          {"qualify", "", "none", {}, 1}};
}

} // namespace kcheck::agent
#endif
