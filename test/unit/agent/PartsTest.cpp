#include "agent/Context.h"
#include "agent/bench/CostModel.h"
#include "agent/bench/Isolated.h"
#include "agent/loop/Folder.h"
#include "llvm/ADT/STLExtras.h"
#include <csignal>
#include <gtest/gtest.h>
#include <unistd.h>

using namespace kcheck;
using namespace kcheck::agent;
namespace json = llvm::json;

namespace {

std::optional<Candidate> read(llvm::StringRef Text, std::string &Error) {
  auto V = json::parse(Text);
  if (!V) {
    Error = llvm::toString(V.takeError());
    return std::nullopt;
  }
  return candidateFromJson(*V, Error);
}

TEST(Candidate, StepsAsText) {
  std::string Error;
  auto S = parseStep("tile-shared:bm=16,bn=32@k:12", Error);
  ASSERT_TRUE(S) << Error;
  EXPECT_EQ(S->Action, "tile-shared");
  EXPECT_EQ(S->Set.at("bn"), 32);
  EXPECT_EQ(S->Kernel, "k");
  EXPECT_EQ(S->Line, 12u);
  EXPECT_EQ(toString(*S), "tile-shared:bm=16,bn=32@k:12");
  for (const char *Bad : {"", ":x=1", "unroll:factor", "unroll:factor=x", "rm -rf /", "unroll@k:x"})
    EXPECT_FALSE(parseStep(Bad, Error)) << Bad;
}

TEST(Candidate, JsonBothWays) {
  std::string Error;
  auto C = read(R"({"parent":"r1c2","hypothesis":"h","predicted_gain":2,"extra":[1],"steps":["unroll:factor=4",{"action":"pad-shared","parameters":{"elements":1},"line":7}]})", Error);
  ASSERT_TRUE(C) << Error;
  EXPECT_EQ(C->Steps.size(), 2u);
  EXPECT_EQ(C->Steps[1].Set.at("elements"), 1);
  auto Again = candidateFromJson(toJson(*C), Error);
  ASSERT_TRUE(Again) << Error;
  EXPECT_EQ(*Again, *C);
}

TEST(Candidate, ErrorsNameTheKey) {
  const std::pair<const char *, const char *> Bad[] = {{R"([])", "object"},
                                                       {R"({})", "neither"},
                                                       {R"({"steps":["unroll"],"source":"x"})", "both"},
                                                       {R"({"steps":"unroll"})", "steps"},
                                                       {R"({"steps":[3]})", "steps[0]"},
                                                       {R"({"steps":[{"action":7}]})", "steps[0].action"},
                                                       {R"({"steps":[{"action":"unroll","set":{"factor":"four"}}]})", "steps[0].set"},
                                                       {R"({"steps":["unroll"],"predicted_gain":"much"})", "predicted_gain"}};
  for (auto [Text, Word] : Bad) {
    std::string Error;
    EXPECT_FALSE(read(Text, Error)) << Text;
    EXPECT_NE(Error.find(Word), std::string::npos) << Text << ": " << Error;
  }
}

Measurement measured(std::map<std::string, double> Values) {
  Measurement M;
  M.Ms = 1;
  M.FloorMs = 0.5, M.Bytes = 5e5, M.CopyGBs = 1, M.Flops = 1e5, M.FmaGflops = 1;
  KernelProfile K;
  K.Values = std::move(Values);
  K.OccupancyLimiter = "registers";
  K.Lines["global_sectors"] = 12;
  M.Kernels.push_back(std::move(K));
  return M;
}

std::string primary(std::map<std::string, double> Values) {
  Diagnosis D = diagnose(measured(std::move(Values)), {});
  return D.Found.empty() ? "" : D.Found.front().Label;
}

TEST(Diagnosis, OneRuleEach) {
  EXPECT_EQ(primary({{"memory_pct", 85}, {"compute_pct", 30}, {"occupancy_pct", 90}}), "memory");
  EXPECT_EQ(primary({{"memory_pct", 40}, {"compute_pct", 88}, {"occupancy_pct", 90}}), "compute");
  EXPECT_EQ(primary({{"memory_pct", 20}, {"compute_pct", 15}, {"occupancy_pct", 90}}), "latency");
  EXPECT_EQ(primary({{"memory_pct", 70}, {"compute_pct", 15}, {"global_sectors", 800}, {"ideal_sectors", 100}}), "coalescing");
  EXPECT_EQ(primary({{"memory_pct", 62}, {"compute_pct", 15}, {"shared_wavefronts", 3200}, {"shared_conflicts", 3100}, {"shared_pct", 95}}), "bank_conflicts");
  EXPECT_EQ(primary({{"memory_pct", 58}, {"compute_pct", 59}, {"active_lanes", 2}}), "divergence");
  EXPECT_EQ(primary({{"memory_pct", 55}, {"compute_pct", 59}, {"occupancy_pct", 3}}), "occupancy");
}

TEST(Diagnosis, EvidenceLinesAndDistance) {
  Diagnosis D = diagnose(measured({{"memory_pct", 70}, {"compute_pct", 15}, {"global_sectors", 800}, {"ideal_sectors", 100}, {"occupancy_pct", 20}}), {});
  const Bottleneck *B = D.find("coalescing");
  ASSERT_TRUE(B);
  EXPECT_EQ(B->Line, 12u);
  EXPECT_NE(B->Evidence.find("8.0 sectors"), std::string::npos);
  ASSERT_TRUE(D.find("occupancy"));
  EXPECT_EQ(D.find("occupancy")->By, "registers");
  EXPECT_DOUBLE_EQ(D.RooflineShare, 0.5);
  EXPECT_EQ(D.Ceiling, "memory");
  EXPECT_LT(D.find("occupancy")->Weight, B->Weight);
  EXPECT_EQ(toJson(diagnosisFromJson(toJson(D))), toJson(D));
}

TEST(Diagnosis, WithoutCountersTheRooflineSpeaksWithLessConfidence) {
  Measurement M = measured({});
  M.FloorMs = 0.9;
  Diagnosis D = diagnose(M, {});
  ASSERT_FALSE(D.Found.empty());
  EXPECT_EQ(D.Found.front().Label, "memory");
  EXPECT_LE(D.Found.front().Confidence, 0.5);
  M.FloorMs = 0.1;
  EXPECT_EQ(diagnose(M, {}).Found.front().Label, "latency");
  StaticFacts S;
  S.Findings = {"uncoalesced_access"};
  EXPECT_GT(diagnose(M, S).weight("coalescing"), 0);
  EXPECT_TRUE(diagnose(Measurement(), S).Found.empty()) << "nothing was measured";
}

Context context() {
  Context C;
  C.Source = "__global__ void k();";
  C.Signature = "void launch(float *)";
  C.Constraints = {"at most 1024 threads a block", "the signature stays"};
  for (int I = 0; I < 100; ++I) {
    C.Comments.push_back("a comment of some length, number " + std::to_string(I));
    C.Findings.push_back("line 1: scalar_access: number " + std::to_string(I));
  }
  C.Callers = "12: launch(a);";
  for (int I = 0; I < 3; ++I) {
    Parent P;
    P.Id = "p" + std::to_string(I);
    P.Text = "text of p" + std::to_string(I) + std::string(400, 'x');
    P.Measured.Ms = P.Ms = 1;
    C.Parents.push_back(P);
  }
  return C;
}

TEST(Context, KeepsToTheBudgetAndNeverLosesConstraints) {
  Context C = context();
  size_t Whole = tokensOf(renderContext(C, 0));
  for (size_t Budget : {Whole, Whole * 3 / 4, Whole / 2, size_t(500)}) {
    std::vector<std::string> Cut;
    std::string Text = renderContext(C, Budget, &Cut);
    EXPECT_LE(tokensOf(Text), Budget);
    EXPECT_EQ(Cut.empty(), Budget == Whole);
    EXPECT_NE(Text.find("at most 1024 threads a block"), std::string::npos);
    EXPECT_NE(Text.find("text of p0"), std::string::npos);
    EXPECT_NE(Text.find("memory throughput"), std::string::npos);
  }
  std::string Least = renderContext(C, 1);
  EXPECT_NE(Least.find("the signature stays"), std::string::npos);
  EXPECT_NE(Least.find("text of p0"), std::string::npos);
  EXPECT_EQ(Least.find("a comment of some length"), std::string::npos);
}

TEST(Context, LeastImportantGoesFirst) {
  Context C = context();
  std::vector<std::string> Cut;
  renderContext(C, tokensOf(renderContext(C, 0)) - 20, &Cut);
  ASSERT_EQ(Cut.size(), 1u);
  EXPECT_EQ(Cut[0], "Comments of the author");
}

Outcome outcome(std::string Id, double Speedup, Step S) {
  Outcome O;
  O.What.Id = std::move(Id), O.What.Parent = "start", O.What.Hypothesis = "hypothesis of " + O.What.Id, O.What.PredictedGain = 2;
  O.What.Steps = {std::move(S)};
  O.Reached = Stage::Measured;
  O.Speedup = O.Gain = Speedup;
  O.Measured.Ms = 1 / Speedup;
  O.Verdict = "PASS";
  return O;
}

TEST(Feedback, RanksAndSaysWhatDistinguishes) {
  Round R;
  R.Number = 1;
  R.Outcomes = {outcome("a", 1.1, {"unroll", {{"factor", 4}}, "", 0}), outcome("b", 3, {"row-per-block", {{"threads", 256}}, "", 0}),
                outcome("c", 2.5, {"row-per-block", {{"threads", 128}}, "", 0}), outcome("d", 0.9, {"unroll", {{"factor", 8}}, "", 0})};
  Outcome Bad;
  Bad.What.Id = "e";
  Bad.Reached = Stage::Static;
  Bad.Failure = "compile_error", Bad.Message = "one\ntwo\nthree\nfour\nfive\nsix\nseven";
  R.Outcomes.push_back(Bad);
  EXPECT_EQ(ranked(R.Outcomes).front()->What.Id, "b");
  json::Value J = feedbackJson(R, 2);
  const json::Object &O = *J.getAsObject();
  EXPECT_EQ(*O.getArray("only_best"), json::Array{"row-per-block"});
  EXPECT_EQ(*O.getArray("only_worst"), json::Array{"unroll"});
  EXPECT_EQ(O.getArray("failures")->size(), 1u);
  std::string Text = feedbackMarkdown(R, 2);
  EXPECT_NE(Text.find("compile_error"), std::string::npos);
  EXPECT_NE(Text.find("seven"), std::string::npos);
  EXPECT_EQ(Text.find("      one"), std::string::npos) << "only the last lines";
  EXPECT_NE(Text.find("hypothesis of b -> holds"), std::string::npos) << Text;
  EXPECT_NE(Text.find("hypothesis of d -> wrong"), std::string::npos) << Text;
}

TEST(Feedback, OutcomesSurviveTheFolder) {
  Outcome O = outcome("r1c1", 2, {"unroll", {{"factor", 4}}, "k", 3});
  O.Text = "text", O.Hash = "hash", O.Reasons = {"scalar_access"};
  O.Facts.Findings = {"uncoalesced_access"};
  O.Measured = measured({{"memory_pct", 85}, {"compute_pct", 30}});
  O.Others.push_back(O.Measured);
  O.Why = diagnose(O.Measured, O.Facts);
  std::string Error;
  auto Again = outcomeFromJson(toJson(O), Error);
  ASSERT_TRUE(Again) << Error;
  EXPECT_EQ(toJson(*Again), toJson(O));
  Outcome None;
  None.What.Id = "r1c2";
  None.Failure = "policy_timeout";
  Again = outcomeFromJson(toJson(None), Error);
  ASSERT_TRUE(Again) << Error;
  EXPECT_EQ(toJson(*Again), toJson(None));
}

TEST(Diff, HunksCountTheirLines) {
  std::string D = lineDiff("a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n", "a\nb\nc\nd\nE\nf\ng\nh\ni\nj\nk\n", "x -> y");
  EXPECT_EQ(D, "--- x\n+++ y\n@@ -2,9 +2,10 @@\n b\n c\n d\n-e\n+E\n f\n g\n h\n i\n j\n+k\n");
  EXPECT_EQ(lineDiff("a\n", "a\n", "x -> y"), "");
}

TEST(Isolated, WhatDiesOrHangsCostsItsAnswerOnly) {
  IsolationLimits L;
  L.Seconds = 1;
  L.AtOnce = 4;
  auto A = runIsolated(5, L, [](size_t I) -> std::string {
    if (I == 1)
      ::raise(SIGSEGV);
    if (I == 2)
      for (volatile int X = 0;; X = X + 1)
        ;
    if (I == 3)
      ::_exit(0);
    return I == 4 ? "" : std::string(200000, char('a' + I));
  });
  ASSERT_EQ(A.size(), 5u);
  EXPECT_EQ(A[0].Text->size(), 200000u);
  EXPECT_EQ(A[1].Why, "died by signal 11");
  EXPECT_EQ(A[2].Why, "took more than 1 s");
  EXPECT_EQ(A[3].Why, "ended without an answer");
  ASSERT_TRUE(A[4].Text);
  EXPECT_EQ(*A[4].Text, "");
}

protocol::LaunchMetrics launch(uint64_t Blocks, uint64_t Threads, uint64_t SectorsARequest) {
  protocol::LaunchMetrics M;
  M.Kernel = "k";
  M.Blocks = Blocks, M.ThreadsPerBlock = Threads, M.SampledBlocks = Blocks;
  uint64_t Warps = Blocks * Threads / 32;
  M.Total.GlobalRequests = 2 * Warps;
  M.Total.IdealSectors = 8 * Warps;
  M.Total.GlobalSectors = 2 * SectorsARequest * Warps;
  M.GlobalBytes = 2 * Warps * 128;
  M.Instructions = 12 * Warps, M.ActiveLanes = 32 * M.Instructions;
  M.Flops = 32 * Warps;
  return M;
}

TEST(CostModel, ACoalescedCopyRunsAtTheCopyRate) {
  DeviceModel D = DeviceModel::of("sm_90");
  auto M = launch(1 << 17, 256, 4);
  double Bytes = double(M.GlobalBytes);
  Measurement R = modelTimes({M}, Bytes, Bytes, 0, D);
  EXPECT_TRUE(R.Modelled);
  EXPECT_GT(R.rooflineShare(), 0.75);
  EXPECT_LE(R.rooflineShare(), 1.0);
}

TEST(CostModel, WastefulAccessConflictsAndSmallGridsCost) {
  DeviceModel D = DeviceModel::of("sm_80");
  double Good = 0, Strided = 0, Conflicts = 0, Small = 0;
  auto M = launch(1 << 15, 256, 4);
  double Bytes = double(M.GlobalBytes);
  modelLaunch(M, Bytes, D, Good);
  KernelProfile K = modelLaunch(launch(1 << 15, 256, 32), Bytes, D, Strided);
  EXPECT_GT(Strided, 1.5 * Good);
  EXPECT_GT(K.Values["global_sectors"] / K.Values["ideal_sectors"], 7);
  M.Total.SharedRequests = 64 * M.Total.GlobalRequests;
  M.Total.SharedWavefronts = 16 * M.Total.SharedRequests;
  M.SharedBytes = M.Total.SharedRequests * 128;
  modelLaunch(M, Bytes, D, Conflicts);
  EXPECT_GT(Conflicts, 2 * Good);
  auto Few = launch(4, 256, 4);
  for (uint64_t *X : {&Few.Total.GlobalRequests, &Few.Total.GlobalSectors, &Few.Total.IdealSectors, &Few.GlobalBytes, &Few.Instructions, &Few.ActiveLanes, &Few.Flops})
    *X *= (1 << 15) / 4; // the same work on four blocks
  KernelProfile F = modelLaunch(Few, Bytes, D, Small);
  EXPECT_GT(Small, 3 * Good);
  EXPECT_EQ(F.OccupancyLimiter, "grid");
}

/// A product of two 2048x2048 matrices as the simulator counts it: tiles of Rows x Columns outputs, Each x Each of a thread.
protocol::LaunchMetrics product(uint64_t Rows, uint64_t Columns, uint64_t Each, double OtherATerm) {
  constexpr uint64_t N = 2048;
  protocol::LaunchMetrics M;
  M.Kernel = "p";
  M.Blocks = N / Rows * (N / Columns), M.ThreadsPerBlock = Rows * Columns / (Each * Each), M.SampledBlocks = M.Blocks;
  uint64_t Terms = N * N * N / 32; // multiply-adds of warps
  M.Flops = 2 * 32 * Terms;
  M.Total.SharedRequests = M.Total.SharedWavefronts = 2 * Terms / Each;
  M.SharedBytes = M.Total.SharedRequests * 128;
  M.Total.GlobalRequests = M.Blocks * N * (Rows + Columns) / 32;
  M.Total.GlobalSectors = M.Total.IdealSectors = 4 * M.Total.GlobalRequests;
  M.GlobalBytes = 128 * M.Total.GlobalRequests;
  M.Instructions = Terms + M.Total.SharedRequests + uint64_t(OtherATerm * double(Terms)), M.ActiveLanes = 32 * M.Instructions;
  M.StaticShared = 4 * 8 * (Rows + Columns);
  return M;
}

/// The code of register tiles repeats more index arithmetic for each term, all of which the compiler unrolls.
TEST(CostModel, RegisterTilesAreFasterThanTilesOfOneOutputAThread) {
  for (const char *Arch : {"sm_80", "sm_90", "sm_120"}) {
    DeviceModel D = DeviceModel::of(Arch);
    double Bytes = 3.0 * 2048 * 2048 * 4, Single = 0, Four = 0, Eight = 0;
    modelLaunch(product(32, 32, 1, 56), Bytes, D, Single);
    modelLaunch(product(64, 64, 4, 78), Bytes, D, Four);
    modelLaunch(product(128, 128, 8, 80), Bytes, D, Eight);
    EXPECT_LT(Four, Single) << Arch;
    EXPECT_LT(Eight, 0.6 * Single) << Arch;
    EXPECT_GT(Eight, 2.0 * 2048 * 2048 * 2048 / (D.fmaGflops() * 1e6)) << Arch << ": faster than the units";
  }
}

} // namespace
