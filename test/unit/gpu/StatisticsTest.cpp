#include "runner/gpu/Perf.h"
#include "runner/gpu/Statistics.h"
#include <gtest/gtest.h>

using namespace kcheck::gpu;

namespace {

TEST(GpuStatistics, Quantiles) {
  EXPECT_EQ(quantile({}, 0.5), 0);
  EXPECT_EQ(quantile({3}, 0.25), 3);
  EXPECT_DOUBLE_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_DOUBLE_EQ(quantile({0, 1, 2, 3, 4}, 0.25), 1);
  auto T = summarizeTimes({5, 1, 2, 4, 3});
  EXPECT_DOUBLE_EQ(T.Median, 3);
  EXPECT_DOUBLE_EQ(T.Low, 2);
  EXPECT_DOUBLE_EQ(T.High, 4);
  EXPECT_DOUBLE_EQ(T.Least, 1);
  EXPECT_EQ(T.Samples, 5u);
}

TEST(GpuStatistics, MiddleMeanIgnoresOutliers) {
  EXPECT_DOUBLE_EQ(middleMean({1, 2, 3, 4, 5, 6, 7, 1000}), 4.5);
  EXPECT_DOUBLE_EQ(middleMean({}), 0);
}

TEST(GpuStatistics, BootstrapHoldsTheTrueRatio) {
  std::vector<double> A, B;
  for (int I = 0; I < 50; ++I) {
    A.push_back(1.25 + 0.01 * (I % 7));
    B.push_back(1.0 + 0.01 * (I % 5));
  }
  auto [Low, High] = bootstrapRatio(A, B, 7);
  double Ratio = middleMean(A) / middleMean(B);
  EXPECT_LE(Low, Ratio);
  EXPECT_GE(High, Ratio);
  EXPECT_LT(High - Low, 0.05);
  EXPECT_EQ(bootstrapRatio(A, B, 7), std::make_pair(Low, High)) << "the same seed gives the same interval";
  EXPECT_EQ(bootstrapRatio({}, B, 7), std::make_pair(0.0, 0.0));
}

TEST(GpuPerf, FloorCountsWhatMustCrossTheBus) {
  Ceilings C{4000, 60000};
  // 128 MB in, 64 MB out, of which 50 MB may stay in the L2.
  double Ms = floorMs(128'000'000, 64'000'000, 0, 50'000'000, C, 1);
  EXPECT_NEAR(Ms, 0.8 * 142e6 / 4000e6, 1e-9);
  EXPECT_NEAR(floorMs(1, 1, 120e9, 0, C, 2), 0.8, 1e-6) << "work bounds it: 120 GFLOP at 2 x 60 TFLOP/s";
  EXPECT_EQ(floorMs(1000, 1000, 1e9, 0, {}, 1), 0) << "nothing measured, nothing claimed";
}

RoundFacts wrong(uint64_t Elements, uint64_t Wrong, uint64_t First, uint64_t LastRight) {
  RoundFacts F;
  F.Elements = Elements;
  F.Report.Wrong = Wrong;
  F.Report.First = First;
  F.Report.LastRight = LastRight;
  return F;
}

TEST(GpuPerf, WrongRoundsAreClassified) {
  EXPECT_EQ(classifyWrong(wrong(100, 0, ~0ull, 100)).first, "");
  RoundFacts Nothing = wrong(100, 100, 0, 0);
  Nothing.Report.Unwritten = 100;
  EXPECT_EQ(classifyWrong(Nothing).first, "cheat_noop");
  Nothing.RightBefore = true;
  EXPECT_EQ(classifyWrong(Nothing).first, "cheat_stale_output");
  Nothing.Report.Wrong = Nothing.Report.Unwritten = 40;
  EXPECT_EQ(classifyWrong(Nothing).first, "cheat_stale_output") << "some blocks still worked";
  RoundFacts Cached = wrong(100, 97, 0, 55);
  Cached.LikeEarlier = true;
  EXPECT_EQ(classifyWrong(Cached).first, "cheat_cached_result");
  RoundFacts Constant = wrong(100, 99, 0, 50);
  Constant.Report.Constant = 100;
  EXPECT_EQ(classifyWrong(Constant).first, "cheat_constant_output");
  EXPECT_EQ(classifyWrong(wrong(100, 10, 90, 90)).first, "cheat_skipped_tail");
  EXPECT_EQ(classifyWrong(wrong(100, 10, 80, 95)).first, "") << "right elements among the wrong ones";
  RoundFacts Half = wrong(100, 60, 2, 99);
  Half.Report.Half = 100;
  Half.Report.WantHalf = 3;
  EXPECT_EQ(classifyWrong(Half).first, "cheat_precision_downgrade");
  Half.Report.WantHalf = 100;
  EXPECT_EQ(classifyWrong(Half).first, "") << "the right values are halves too";
}

TEST(GpuPerf, ThrottleReasons) {
  EXPECT_FALSE(isThrottled(0));
  EXPECT_FALSE(isThrottled(1)) << "idle is no throttling";
  EXPECT_TRUE(isThrottled(0x20));
  EXPECT_EQ(throttleText(0x24), "power cap, thermal");
}

} // namespace
