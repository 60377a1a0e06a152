#include "World.h"
#include "agent/loop/Folder.h"
#include "agent/policy/Builtin.h"
#include "llvm/Support/FileSystem.h"
#include <gtest/gtest.h>

using namespace kcheck;
using namespace kcheck::agent;

namespace {

class Scripted : public Policy {
public:
  std::vector<Proposal> Answers;
  std::vector<std::string> Prompts;
  std::string name() const override { return "scripted"; }
  Proposal propose(const PolicyRequest &R) override {
    Prompts.push_back(renderContext(R.Context, R.TokenBudget));
    return R.Round <= Answers.size() ? Answers[R.Round - 1] : Proposal();
  }
};

Candidate steps(std::vector<Step> S, std::string Hypothesis = "it helps") {
  Candidate C;
  C.Steps = std::move(S);
  C.Hypothesis = std::move(Hypothesis);
  return C;
}
Candidate edit(std::string Text) {
  Candidate C;
  C.Source = std::move(Text);
  return C;
}

class LoopTest : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("kcheck-loop", Dir));
    Bench.Rules = usualRules();
    Base.Source = "kernel";
    Base.Constraints = {"at most 1024 threads a block"};
    Base.TunedShape = "n=100";
  }
  void TearDown() override { llvm::sys::fs::remove_directories(Dir); }

  LoopResult run(Policy &P, LoopOptions O = {}) {
    auto R = Loop(Bench, P, Base, O).run();
    if (!R) {
      ADD_FAILURE() << llvm::toString(R.takeError());
      return {};
    }
    return std::move(*R);
  }

  std::string folder(const char *Name) { return (Dir + "/" + Name).str(); }
  std::string file(const char *Folder, const char *Name) { return RunFolder(folder(Folder)).read(Name).value_or(""); }

  llvm::SmallString<128> Dir;
  World Bench;
  Context Base;
};

TEST_F(LoopTest, BuiltinFindsTheChainOfActions) {
  auto P = builtinPolicy();
  LoopResult R = run(*P);
  EXPECT_GT(R.Speedup, 3) << toString(R.winner().What.Steps);
  EXPECT_TRUE(World::has(R.winner().Text, "row-per-block"));
  EXPECT_TRUE(World::has(R.winner().Text, "vectorize-loads"));
  EXPECT_EQ(R.winner().Verdict, "PASS");
}

TEST_F(LoopTest, SameSeedSameResult) {
  auto P = builtinPolicy();
  LoopOptions O;
  O.Seed = 7;
  O.Folder = folder("a");
  run(*P, O);
  O.Folder = folder("b");
  run(*P, O);
  EXPECT_FALSE(file("a", "result.json").empty());
  EXPECT_EQ(file("a", "result.json"), file("b", "result.json"));
  EXPECT_EQ(file("a", "notebook.md"), file("b", "notebook.md"));
  O.Seed = 8;
  O.Folder = folder("c");
  run(*P, O);
  EXPECT_NE(file("a", "round-1/proposal.json"), file("c", "round-1/proposal.json"));
}

TEST_F(LoopTest, KilledAnywhereItEndsInTheSameState) {
  auto P = builtinPolicy();
  LoopOptions O;
  O.Folder = folder("whole");
  run(*P, O);
  std::string Wanted = file("whole", "result.json"), Book = file("whole", "notebook.md");
  ASSERT_GT(Bench.Ran.size(), 10u);
  for (unsigned After : {1u, 4u, 9u, 11u}) {
    std::string Name = "killed" + std::to_string(After);
    O.Folder = folder(Name.c_str());
    Bench.DieAfter = After;
    EXPECT_THROW((void)!Loop(Bench, *P, Base, O).run(), World::Killed);
    EXPECT_TRUE(file(Name.c_str(), "result.json").empty());
    Bench.DieAfter = ~0u;
    Bench.Ran.clear();
    run(*P, O);
    EXPECT_EQ(file(Name.c_str(), "result.json"), Wanted);
    EXPECT_EQ(file(Name.c_str(), "notebook.md"), Book);
    EXPECT_FALSE(llvm::is_contained(Bench.Ran, "kernel")) << "the start was measured again";
  }
}

TEST_F(LoopTest, BadOnesCostACandidateAndNeverReachTheDevice) {
  Scripted P;
  Proposal A;
  A.Candidates = {edit("@static kernel"), edit("@cheat kernel"), edit("@wrong kernel"), steps({{"no-such-action", {}, "", 0}}), steps({{"vectorize-loads", {{"v", 4}}, "", 0}}),
                  steps({{"row-per-block", {{"v", 256}}, "", 0}}), steps({{"row-per-block", {{"v", 256}}, "", 0}})};
  A.Candidates.push_back(edit("kernel"));
  A.Candidates.back().Parent = "nobody";
  A.Failures = {{"policy_garbage", "no JSON in the answer"}};
  P.Answers = {A};
  LoopOptions O;
  O.Rounds = 1;
  LoopResult R = run(P, O);
  std::vector<std::string> Failures;
  for (const Outcome &X : R.Rounds[1].Outcomes)
    Failures.push_back(X.Failure);
  EXPECT_EQ(Failures, (std::vector<std::string>{"barrier_divergence", "launcher_changed", "wrong_result", "not_applicable", "not_applicable", "", "duplicate", "unknown_parent"}));
  EXPECT_EQ(Bench.Ran, (std::vector<std::string>{"kernel", "@wrong kernel", "kernel row-per-block=256"}));
  EXPECT_EQ(R.Winner, "r1c6");
  std::string Text = feedbackMarkdown(R.Rounds[1]);
  EXPECT_NE(Text.find("12:3 barrier_divergence: threads part"), std::string::npos) << Text;
}

TEST_F(LoopTest, APolicyThatFailsAltogetherEndsTheRunInOrder) {
  Scripted P;
  Proposal A;
  A.Failures = {{"policy_timeout", "no answer in 120 s"}, {"policy_timeout", "no answer in 120 s"}};
  P.Answers = {A, A, A, A};
  LoopResult R = run(P);
  EXPECT_EQ(R.Winner, "start");
  EXPECT_EQ(R.Stopped, "no_gain");
  EXPECT_EQ(R.Rounds.size(), 3u);
  EXPECT_EQ(R.Rounds[1].Outcomes.size(), 2u);
  EXPECT_EQ(R.Rounds[1].Outcomes[0].Failure, "policy_timeout");
}

TEST_F(LoopTest, TooManyCandidatesAreCut) {
  Scripted P;
  Proposal A;
  for (int I = 0; I < 40; ++I)
    A.Candidates.push_back(steps({{"row-per-block", {{"v", 64}}, "", 0}}));
  A.Candidates.push_back({});
  P.Answers = {A};
  LoopOptions O;
  O.Rounds = 1;
  O.Candidates = 3;
  EXPECT_EQ(run(P, O).Rounds[1].Outcomes.size(), 3u);
}

TEST_F(LoopTest, StopsAtTheRoofline) {
  Bench.Costs = {{"coalescing", 0.2}};
  auto P = builtinPolicy();
  LoopResult R = run(*P);
  EXPECT_EQ(R.Stopped, "roofline");
  EXPECT_LT(R.Rounds.size(), 5u) << "before all rounds are used up";
}

TEST_F(LoopTest, FeedbackReachesTheNextPrompt) {
  Scripted P;
  Proposal A;
  A.Candidates = {steps({{"row-per-block", {{"v", 256}}, "", 0}}), edit("@wrong kernel")};
  P.Answers = {A, A};
  LoopOptions O;
  O.Rounds = 2;
  run(P, O);
  ASSERT_EQ(P.Prompts.size(), 2u);
  EXPECT_EQ(P.Prompts[0].find("Result of round"), std::string::npos);
  EXPECT_EQ(P.Prompts[1].rfind("## Result of round 1", 0), 0u) << "the ranking is the prefix";
  EXPECT_NE(P.Prompts[1].find("element 7"), std::string::npos);
  EXPECT_NE(P.Prompts[1].find("at most 1024 threads a block"), std::string::npos);
}

TEST_F(LoopTest, SaysWhereAnotherCandidateIsFaster) {
  Bench.Rules.push_back({"narrow", "", "memory", {}, 0.9});
  Scripted P;
  Proposal A;
  A.Candidates = {steps({{"row-per-block", {{"v", 256}}, "", 0}}), steps({{"narrow", {}, "", 0}})};
  P.Answers = {A};
  LoopOptions O;
  O.Rounds = 1;
  LoopResult R = run(P, O);
  EXPECT_EQ(R.Winner, "r1c1");
  EXPECT_NE(R.Dispatch.find("`r1c2` at n=1"), std::string::npos) << R.Dispatch;
}

TEST_F(LoopTest, SeveralDevicesAreScoredTogether) {
  struct Two : World {
    std::vector<RunResult> run(const std::vector<std::string> &Texts, const std::function<void(size_t, const RunResult &)> &Done) override {
      return World::run(Texts, [&](size_t I, const RunResult &R) {
        RunResult Both = R;
        Both.Others.push_back(R.Measured);
        Both.Others[0].Ms = has(Texts[I], "row-per-block") ? 40 : 10; // a winner here is a loser there
        Both.Others[0].Device = "other";
        Done(I, Both);
      });
    }
  } Both;
  Both.Rules = usualRules();
  Scripted P;
  Proposal A;
  A.Candidates = {steps({{"row-per-block", {{"v", 64}}, "", 0}}), steps({{"fast-math", {{"v", 1}}, "", 0}})};
  P.Answers = {A};
  LoopOptions O;
  O.Rounds = 1;
  auto R = Loop(Both, P, Base, O).run();
  ASSERT_TRUE(bool(R));
  EXPECT_GT(R->find("r1c1")->Measured.Ms, 0);
  EXPECT_LT(R->find("r1c1")->Measured.Ms, R->find("r1c2")->Measured.Ms);
  EXPECT_EQ(R->Winner, "r1c2");
}

/// What the policy is worth lies in the diagnosis: with labels that mean nothing the search must do clearly worse.
TEST_F(LoopTest, ShuffledLabelsMakeTheSearchClearlyWorse) {
  // Few candidates a round, so that trying everything is no way out.
  LoopOptions O;
  O.Rounds = 2;
  O.Candidates = 2;
  double Right = 0, Wrong = 0;
  unsigned Runs = 0;
  for (const char *Main : {"coalescing", "bank_conflicts", "compute"})
    for (uint64_t Seed = 1; Seed <= 4; ++Seed, ++Runs) {
      Bench.Costs = {{"coalescing", 0.1}, {"memory", 0.1}, {"compute", 0.1}, {"bank_conflicts", 0.1}};
      Bench.Costs[Main] = 6;
      O.Seed = Seed;
      auto P = builtinPolicy();
      O.Disturb = nullptr;
      Right += run(*P, O).Speedup;
      static const std::map<std::string, std::string> Other{{"coalescing", "bank_conflicts"}, {"bank_conflicts", "compute"}, {"compute", "occupancy"}, {"memory", "divergence"}, {"latency", "compute"}};
      O.Disturb = [](Diagnosis &D) {
        for (Bottleneck &B : D.Found)
          if (auto It = Other.find(B.Label); It != Other.end())
            B.Label = It->second;
      };
      Wrong += run(*P, O).Speedup;
    }
  EXPECT_GT(Right / Runs, 1.3 * Wrong / Runs) << Right / Runs << " against " << Wrong / Runs;
}

/// With many candidates a round and all rounds, trying everything must be no way out either: what rebuilds a kernel is tried where its label is found.
TEST_F(LoopTest, LabelsThatMeanNothingAreNotMadeUpForByTrying) {
  double Right = 0, Wrong = 0;
  for (uint64_t Seed = 1; Seed <= 4; ++Seed) {
    Bench.Costs = {{"coalescing", 6}, {"memory", 0.1}, {"compute", 0.1}, {"bank_conflicts", 0.1}};
    LoopOptions O;
    O.Seed = Seed;
    auto P = builtinPolicy();
    Right += run(*P, O).Speedup;
    O.Disturb = [](Diagnosis &D) {
      for (Bottleneck &B : D.Found)
        B.Label = B.Label == "coalescing" ? "divergence" : "compute";
    };
    Wrong += run(*P, O).Speedup;
  }
  EXPECT_GT(Right, 1.5 * Wrong);
}

/// The same kernel under other names must get the same proposals.
TEST_F(LoopTest, BuiltinSeesNoNames) {
  struct Renamed : World {
    std::vector<Built> build(const std::vector<BuildRequest> &All) override {
      std::vector<Built> Out = World::build(All);
      for (Built &B : Out)
        for (ActionSite &S : B.Sites)
          S.Kernel = "another", S.What = "loop over something else";
      return Out;
    }
  } Other;
  Other.Rules = usualRules();
  auto P = builtinPolicy();
  auto A = Loop(Bench, *P, Base, {}).run();
  Base.Operator = "softmax", Base.File = "/tmp/x.cu", Base.Source = "kernel";
  auto B = Loop(Other, *P, Base, {}).run();
  ASSERT_TRUE(A && B);
  EXPECT_EQ(A->winner().Text, B->winner().Text);
  EXPECT_EQ(A->Speedup, B->Speedup);
}

TEST_F(LoopTest, NotebookHasHypothesisChangeMeasurementConclusion) {
  auto P = builtinPolicy();
  LoopOptions O;
  O.Folder = folder("n");
  run(*P, O);
  std::string Book = file("n", "notebook.md"), Page = file("n", "report.html");
  for (const char *Word : {"hypothesis:", "change:", "measurement:", "conclusion:", "## Result", "limited by"})
    EXPECT_NE(Book.find(Word), std::string::npos) << Word;
  for (const char *Word : {"<svg", "roofline", "class=\"add\"", "winner"})
    EXPECT_NE(Page.find(Word), std::string::npos) << Word;
  EXPECT_EQ(Page.find("http"), std::string::npos) << "the page must need nothing else";
}

TEST_F(LoopTest, AStartThatIsWrongIsAnError) {
  Base.Source = "@wrong kernel";
  auto P = builtinPolicy();
  auto R = Loop(Bench, *P, Base, {}).run();
  ASSERT_FALSE(bool(R));
  EXPECT_NE(llvm::toString(R.takeError()).find("element 7"), std::string::npos);
}

} // namespace
