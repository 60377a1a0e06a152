#include "runner/ops/Compare.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace kcheck::ops;

static Value value(std::vector<double> V, DType T = DType::F32, std::vector<int64_t> Shape = {}) {
  Value R;
  R.Shape = Shape.empty() ? std::vector<int64_t>{int64_t(V.size())} : Shape;
  R.Data = std::move(V);
  R.Type = T;
  return R;
}
static std::vector<double> ramp(int N) {
  std::vector<double> V;
  for (int I = 0; I < N; ++I)
    V.push_back(I + 1);
  return V;
}

TEST(Compare, ToleranceIsRelativeAndAbsolute) {
  Value W = value({1, 100, 0});
  EXPECT_TRUE(compare(fromDoubles(DType::F32, {1.00005, 100.005, 5e-6}), W, {1e-4, 1e-5, 4}).pass());
  Comparison C = compare(fromDoubles(DType::F32, {1.0, 100.05, 0}), W, {1e-4, 1e-5, 4});
  EXPECT_EQ(C.tag(), "wrong_result");
  EXPECT_EQ(C.Wrong, 1);
  EXPECT_EQ(C.First[0].Flat, 1);
}

TEST(Compare, LongSumsMayRound) { // terms that cancel: the plain form would refuse a right fp32 sum
  Value W = value({0.001});
  Bytes Got = fromDoubles(DType::F32, {0.0012});
  EXPECT_FALSE(compare(Got, W, {1e-4, 1e-5, 4}).pass());
  W.Length = 2456;
  W.Terms = {2000};
  EXPECT_TRUE(compare(Got, W, {1e-4, 1e-5, 4}).pass());
}

TEST(Compare, NanAndInfinityPattern) {
  Value W = value({NAN, HUGE_VAL, 1});
  EXPECT_TRUE(compare(fromDoubles(DType::F32, {NAN, HUGE_VAL, 1}), W, {}, 0xAA).pass());
  EXPECT_EQ(compare(fromDoubles(DType::F32, {NAN, -HUGE_VAL, 1}), W, {}, 0xAA).tag(), "nan_inf");
  EXPECT_EQ(compare(fromDoubles(DType::F32, {0, HUGE_VAL, 1}), W, {}, 0xAA).tag(), "nan_inf");
  EXPECT_EQ(compare(fromDoubles(DType::F32, {NAN, HUGE_VAL, NAN}), W, {}, 0xAA).tag(), "nan_inf");
}

TEST(Compare, PoisonIsNotWritten) {
  Value W = value(ramp(10));
  Bytes Got = fromDoubles(DType::F32, ramp(10));
  std::fill(Got.end() - 8, Got.end(), 0xFF);
  Comparison C = compare(Got, W, {});
  EXPECT_EQ(C.tag(), "not_all_written");
  EXPECT_EQ(C.Unwritten, 2);
  EXPECT_EQ(C.Pattern, "not written: exactly the last 2 of 10 elements");
}

TEST(Compare, PatternsForAModel) {
  std::vector<double> Twice = ramp(20);
  for (double &X : Twice)
    X *= 2;
  EXPECT_EQ(compare(fromDoubles(DType::F32, Twice), value(ramp(20)), {}).Pattern, "all are 2 times the right value");
  std::vector<double> Shifted = ramp(20);
  for (double &X : Shifted)
    X += 1;
  EXPECT_EQ(compare(fromDoubles(DType::F32, Shifted), value(ramp(20)), {}).Pattern, "each holds the right value of its next element");
  std::vector<double> Column = ramp(20);
  for (int R = 0; R < 4; ++R)
    Column[R * 5 + 2] = -77 - R * R;
  EXPECT_EQ(compare(fromDoubles(DType::F32, Column), value(ramp(20), DType::F32, {4, 5}), {}).Pattern, "all at index 2 of dimension 1");
}

TEST(Compare, HalfRoundsTheReference) {
  Value W = value({1.0003}, DType::F16);
  EXPECT_TRUE(compare(fromDoubles(DType::F16, {1.0}), W, {0, 0, 0}).pass());
}

TEST(Compare, IntegersAreExact) {
  Value W = value({1, 2}, DType::I32);
  EXPECT_TRUE(compare(fromDoubles(DType::I32, {1, 2}), W, defaultTolerance(DType::I32)).pass());
  EXPECT_FALSE(compare(fromDoubles(DType::I32, {1, 3}), W, defaultTolerance(DType::I32)).pass());
}

TEST(Compare, SummaryAndShift) {
  Summary S = summarize({1, 2, 3, NAN, HUGE_VAL, 0});
  EXPECT_EQ(S.Nan, 1);
  EXPECT_EQ(S.Inf, 1);
  EXPECT_EQ(S.Zero, 1);
  EXPECT_DOUBLE_EQ(S.Mean, 1.5);
  Comparison C = compare(fromDoubles(DType::F32, std::vector<double>(100, 1.0)), value(ramp(100)), {});
  EXPECT_GT(C.Shift, 0.9);
}

TEST(Compare, FirstDifference) {
  Bytes A = fromDoubles(DType::F32, ramp(5)), B = A;
  EXPECT_EQ(firstDifference(A, B, DType::F32), -1);
  B[9] ^= 1;
  EXPECT_EQ(firstDifference(A, B, DType::F32), 2);
}
