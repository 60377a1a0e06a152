#include "World.h"
#include "agent/policy/Builtin.h"
#include "agent/policy/Learned.h"
#include "agent/policy/Vary.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace kcheck;
using namespace kcheck::agent;

namespace {

Step step(const char *Action, std::map<std::string, int64_t> Set = {}) { return {Action, std::move(Set), "k", 3}; }

Outcome measured(const char *Id, const char *Parent, std::vector<Step> Steps, double Speedup) {
  Outcome O;
  O.What.Id = Id, O.What.Parent = Parent, O.What.Steps = std::move(Steps);
  O.Reached = Stage::Measured;
  O.Speedup = Speedup;
  return O;
}

double none(llvm::StringRef) { return 0; }

TEST(Learned, TellsTheGoodStepOfASequenceFromTheBadOne) {
  Round R;
  R.Outcomes = {measured("a", "start", {step("one")}, 2), measured("b", "start", {step("one"), step("two")}, 1.2), measured("c", "start", {step("two")}, 0.6)};
  Learned L({R}, none);
  EXPECT_GT(L.measured(step("one")), 0.3);
  EXPECT_LT(L.measured(step("two")), -0.1);
  EXPECT_EQ(L.measured(step("three")), 0);
  EXPECT_EQ(L.worth(step("three"), 0.4), 0.4) << "nothing measured: what was expected";
  EXPECT_LT(L.worth(step("two"), 0.4), 0.2) << "measured to be worse than expected";
}

TEST(Learned, ParametersCountByThemselves) {
  Round R;
  R.Outcomes = {measured("a", "start", {step("one", {{"v", 2}})}, 1), measured("b", "start", {step("one", {{"v", 4}})}, 2), measured("c", "start", {step("one", {{"v", 8}})}, 1.1)};
  Learned L({R}, none);
  EXPECT_GT(L.measured(step("one", {{"v", 4}})), L.measured(step("one", {{"v", 2}})) + 0.1);
  EXPECT_GT(L.measured(step("one", {{"v", 4}})), L.measured(step("one", {{"v", 8}})) + 0.1);
}

TEST(Learned, ChainsGoBackToTheStart) {
  Round R;
  R.Outcomes = {measured("a", "start", {step("one")}, 2), measured("b", "a", {step("two")}, 3), measured("c", "b", {}, 3), measured("d", "c", {step("three")}, 3)};
  EXPECT_EQ(chainOf({R}, R.Outcomes[1]), (std::vector<Step>{step("one"), step("two")}));
  R.Outcomes[2].What.Source = "edited";
  EXPECT_FALSE(chainOf({R}, R.Outcomes[3])) << "a free edit cannot be said in steps";
}

TEST(Learned, WhatIsWrongIsWorthLess) {
  Round R;
  Outcome Bad = measured("b", "start", {step("bad")}, 0);
  Bad.Reached = Stage::Dynamic, Bad.Failure = "wrong_result";
  R.Outcomes = {measured("a", "start", {step("one")}, 1.5), Bad};
  EXPECT_LT(Learned({R}, none).measured(step("bad")), -0.1);
}

TEST(Vary, LeavesOutChangesAndPutsInFront) {
  World W;
  W.Rules = {{"row-per-block", "", "coalescing", {{64, .4}, {256, .1}}}, {"vectorize-loads", "row-per-block", "memory", {{2, .6}, {4, .3}}}, {"pad-shared", "", "bank_conflicts", {}, .1}};
  Context C;
  C.Source = "kernel";
  Parent P;
  P.Id = "r1c1";
  P.Steps = {step("row-per-block", {{"v", 64}}), step("vectorize-loads", {{"v", 2}})};
  auto worth = [](const Step &S, const llvm::json::Object &) { return S.Action == "row-per-block" && S.Set.at("v") == 256 ? 1.0 : 0.1; };
  std::vector<Variation> All = variationsOf({C, P, worth, [](llvm::StringRef) { return true; }, 32}, W);
  std::set<std::string> Texts;
  for (const Variation &V : All) {
    EXPECT_FALSE(V.Hash.empty());
    Texts.insert(toString(V.Steps));
  }
  auto has = [&](const std::string &Text) { return llvm::any_of(All, [&](const Variation &V) { return W.buildOne({"kernel", V.Steps, false}).Text == Text; }); };
  EXPECT_TRUE(has("kernel row-per-block=64")) << "one step less";
  EXPECT_TRUE(has("kernel row-per-block=256 vectorize-loads=2")) << "another parameter under a later step";
  EXPECT_TRUE(has("kernel row-per-block=64 vectorize-loads=4"));
  EXPECT_TRUE(has("kernel pad-shared row-per-block=64 vectorize-loads=2")) << "one more in front";
  EXPECT_FALSE(has("kernel vectorize-loads=2")) << "it needs what was left out, so it cannot be built";
  ASSERT_FALSE(All.empty());
  EXPECT_EQ(W.buildOne({"kernel", All.front().Steps, false}).Text, "kernel row-per-block=256 vectorize-loads=2") << "the most promising first";
}

/// Of two labels one is the reason and the other stands beside it: a rebuild that would cure the smaller one alone is not proposed.
TEST(Builtin, RebuildsForWhatLimitsTheKernelAndNotForWhatIsBesideIt) {
  World W;
  W.Rules = {{"tile-shared", "", "memory", {}, .3}, {"unroll", "", "latency", {}, .9}, {"interchange", "", "coalescing", {}, .3}};
  auto proposes = [&](std::vector<Bottleneck> Found) {
    Context C;
    C.Source = "kernel";
    C.StartMs = 5;
    Parent P;
    P.Id = "start", P.Text = "kernel", P.Ms = 5, P.Sites = W.sites("kernel");
    P.Why.Found = std::move(Found);
    C.Parents = {P};
    auto Policy = builtinPolicy();
    Proposal Out = Policy->propose({C, W, 1, 8, 7});
    return llvm::any_of(Out.Candidates, [](const Candidate &X) { return llvm::any_of(X.Steps, [](const Step &S) { return S.Action == "tile-shared"; }); });
  };
  EXPECT_TRUE(proposes({{"memory", .8, .9, ""}}));
  EXPECT_TRUE(proposes({{"compute", .72, .9, ""}, {"memory", .36, .9, ""}})) << "both pipes are full";
  EXPECT_FALSE(proposes({{"divergence", .8, .9, ""}, {"memory", .25, .9, ""}}));
  EXPECT_FALSE(proposes({{"coalescing", .8, .9, ""}})) << "another order of the threads cures that by itself";
  EXPECT_TRUE(proposes({{"coalescing", .8, .9, ""}, {"latency", .6, .9, ""}}));
}

} // namespace
