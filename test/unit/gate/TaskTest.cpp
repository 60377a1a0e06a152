#include "gate/task/Task.h"
#include <gtest/gtest.h>

using namespace kcheck;
using namespace kcheck::gate;

static std::string firstError(const std::string &Text) {
  std::vector<TaskError> Errors;
  auto T = parseTask(Text, "task.yaml", Errors);
  EXPECT_EQ(bool(T), Errors.empty());
  return Errors.empty() ? "" : toString(Errors.front(), "task.yaml");
}

static constexpr char Good[] = R"(kcheck: 1
op: tanh_add
entry: launch_tanh_add
args:
  - {name: a,   in:  "f32[n]"}
  - {name: b,   in:  "f32[n]"}
  - {name: out, out: "f32[n]"}
  - {name: n,   dim: n}
shapes: [{n: 1}, {n: 257}]
tolerance: {rtol: 1.0e-3, atol: 1.0e-6}
perf: {shape: {n: 16777216}, runs: 20, max_ratio: 1.5}
limits: {seconds: 2, sim_seconds: 30, gpu_mb: 4096}
)";

static std::string with(std::string Old, std::string New) {
  std::string S = Good;
  size_t At = S.find(Old);
  EXPECT_NE(At, std::string::npos);
  return S.replace(At, Old.size(), New);
}

TEST(Task, ReadsEveryKey) {
  std::vector<TaskError> Errors;
  auto T = parseTask(Good, "task.yaml", Errors);
  ASSERT_TRUE(T) << toString(Errors.front(), "task.yaml");
  EXPECT_EQ(T->Op, "tanh_add");
  EXPECT_EQ(T->Entry, "launch_tanh_add");
  ASSERT_EQ(T->Args.size(), 4u);
  EXPECT_EQ(T->Args[2].How, protocol::Role::Out);
  EXPECT_EQ(T->Args[3].Dim, "n");
  EXPECT_EQ(T->Shapes[1].at("n"), 257);
  EXPECT_EQ(T->Relative, 1e-3);
  EXPECT_EQ(T->PerfRuns, 20u);
}

TEST(Task, UnknownKeysHavePlaceAndSuggestion) {
  EXPECT_EQ(firstError(with("entry:", "entri:")), "task.yaml:3:1: unknown key 'entri'; did you mean 'entry'?");
  EXPECT_EQ(firstError(with("rtol", "rtl")), "task.yaml:10:13: unknown key 'rtl'; did you mean 'rtol'?");
  EXPECT_NE(firstError(with("op: tanh_add", "op: tanh_ad")).find("did you mean 'tanh_add'?"), std::string::npos);
}

TEST(Task, WrongTypes) {
  EXPECT_EQ(firstError(with("1.0e-3", "small")), "task.yaml:10:19: rtol: a number is wanted, not 'small'");
  EXPECT_EQ(firstError(with("{n: 257}", "{n: many}")), "task.yaml:9:22: n: a whole number is wanted, not 'many'");
  EXPECT_NE(firstError(with("\"f32[n]\"", "\"float[n]\"")).find("unknown type 'float'; did you mean 'f32'?"), std::string::npos);
  EXPECT_NE(firstError(with("f32[n]", "f32[n")).find("']' is missing"), std::string::npos);
  EXPECT_NE(firstError(with("kcheck: 1", "kcheck: 7")).find("version 7 is not known"), std::string::npos);
}

TEST(Task, MissingDims) {
  EXPECT_EQ(firstError(with("{n: 257}", "{m: 257}")).find("task.yaml:9:18: dim 'n' has no value in this shape"), 0u);
  EXPECT_NE(firstError(with("\"f32[n]\"", "\"f32[n*k]\"")).find("dim 'k' has no value"), std::string::npos);
  EXPECT_NE(firstError(with("\"f32[n]\"", "\"f32[n-9]\"")).find("negative"), std::string::npos);
}

TEST(Task, WhatIsRight) {
  EXPECT_NE(firstError("kcheck: 1\nentry: x\n").find("neither 'op' nor 'reference'"), std::string::npos);
  EXPECT_NE(firstError("kcheck: 1\nop: relu\nreference: {cpp: a.cpp}\n").find("exclude each other"), std::string::npos);
  EXPECT_NE(firstError("kcheck: 1\nreference: {cpp: nowhere.cpp}\n").find("no file 'nowhere.cpp'"), std::string::npos);
  EXPECT_NE(firstError("kcheck: 1\nop: relu\nkernel: k\n").find("needs 'grid' and 'block'"), std::string::npos);
}

TEST(Task, BrokenYamlIsAnErrorWithAPlace) {
  EXPECT_EQ(firstError("kcheck: 1\nop: [relu\n").find("task.yaml:"), 0u);
  EXPECT_NE(firstError("- 1\n").find("a task is a map"), std::string::npos);
  EXPECT_NE(firstError("").find("a task is a map"), std::string::npos);
}
