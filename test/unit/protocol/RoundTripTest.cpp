#include "runner/protocol/Job.h"
#include "runner/protocol/Result.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace kcheck::protocol;

namespace {

Job sample() {
  Job J;
  J.Id = "j1";
  J.Source.Text = "__global__ void k(float *p) { *p = 1; }";
  J.Source.Includes.push_back({"a.cuh", "#pragma once\n"});
  Buffer B;
  B.Name = "p";
  B.Shape = {2};
  B.Fill = Content::Data;
  B.Data = {0, 1, 2, 3, 250, 251, 252, 253};
  J.Buffers.push_back(B);
  J.Steps.push_back({AllocStep{"p"}, 7});
  LaunchStep L;
  L.Kernel = "k";
  L.Block = {32, 2, 1};
  Argument P, S;
  P.What = Argument::Kind::Pointer;
  P.Where = {"p", "", 4};
  S.Type = DType::F32;
  S.Float = std::nan("");
  L.Args = {P, S};
  J.Steps.push_back({L, 8});
  J.Outputs = {"p"};
  return J;
}

TEST(Protocol, JobSurvivesJson) {
  std::string Text = toJson(sample()), Error;
  auto Back = parseJob(Text, Error);
  ASSERT_TRUE(Back) << Error;
  EXPECT_EQ(toJson(*Back), Text);
  EXPECT_EQ(Back->Buffers[0].Data, sample().Buffers[0].Data);
  const auto &L = std::get<LaunchStep>(Back->Steps[1].Do);
  EXPECT_EQ(L.Args[0].Where.Offset, 4u);
  EXPECT_TRUE(std::isnan(L.Args[1].Float));
}

TEST(Protocol, UnknownKeyIsNamed) {
  std::string Error;
  EXPECT_FALSE(parseJob(R"({"schema":"kcheck.job/1","limits":{"secnds":3}})", Error));
  EXPECT_EQ(Error, "limits.secnds: unknown key");
}

TEST(Protocol, WrongDataLengthIsRefused) {
  std::string Error;
  EXPECT_FALSE(parseJob(
      R"({"schema":"kcheck.job/1","buffers":[{"name":"a","dtype":"f32","shape":[2],"content":"data","data":"AAAA"}]})", Error));
  EXPECT_NE(Error.find("buffers[0].data"), std::string::npos) << Error;
}

TEST(Protocol, ResultSurvivesJson) {
  Result R;
  R.State = State::Failed;
  R.Failure = Failure::Timeout;
  Finding F;
  F.Tag = "race_shared";
  F.Where = {"a.cu", 3, 5};
  F.Other = {"a.cu", 9, 1};
  F.Threads = {{"(0,0,0)", "(1,0,0)"}, {"(0,0,0)", "(2,0,0)"}};
  F.Buffer = "tile";
  F.Index = -1;
  R.Findings.push_back(F);
  R.Outputs.push_back({"p", {1, 2, 3}, "", 0, 3, 1});
  std::string Text = toJson(R), Error;
  auto Back = parseResult(Text, Error);
  ASSERT_TRUE(Back) << Error;
  EXPECT_EQ(toJson(*Back), Text);
  EXPECT_EQ(tagOf(Back->Failure), "timeout");
}

TEST(Protocol, Base64) {
  for (const Bytes &B : {Bytes{}, Bytes{1}, Bytes{1, 2}, Bytes{255, 0, 128}}) {
    auto Back = decodeBase64(encodeBase64(B));
    ASSERT_TRUE(Back);
    EXPECT_EQ(*Back, B);
  }
  EXPECT_FALSE(decodeBase64("A$=="));
}

} // namespace
