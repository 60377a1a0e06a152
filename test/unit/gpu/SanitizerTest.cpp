#include "runner/gpu/Counters.h"
#include "runner/gpu/Sanitizer.h"
#include <gtest/gtest.h>

using namespace kcheck;
using namespace kcheck::gpu;

namespace {

TEST(GpuSanitizer, MemcheckGivesLinesAndThreads) {
  auto F = parseSanitizerReport("memcheck", R"(========= COMPUTE-SANITIZER
========= Invalid __global__ write of size 4 bytes
=========     at k(float *, int)+0x70 in a.cu:5
=========     by thread (32,0,0) in block (1,0,0)
=========     Access at 0x7f2c3a000280 is out of bounds
=========     and is 1 bytes after the nearest allocation at 0x7f2c3a000200 of size 128 bytes
=========     Saved host backtrace up to driver entry point at kernel launch time
=========         Host Frame: cuLaunchKernel [0x2f3c80] in libcuda.so.1
=========
========= Invalid __global__ write of size 4 bytes
=========     at k(float *, int)+0x70 in a.cu:5
=========     by thread (33,0,0) in block (1,0,0)
=========     Access at 0x7f2c3a000284 is out of bounds
=========
========= Invalid __shared__ read of size 8 bytes
=========     at k(float *, int)+0x90 in a.cu:9
=========     by thread (0,0,0) in block (0,0,0)
=========     Address 0x405 is misaligned
=========
========= ERROR SUMMARY: 3 errors
)",
                                "a.cu");
  ASSERT_EQ(F.size(), 2u);
  EXPECT_EQ(F[0].Tag, "out_of_bounds_global");
  EXPECT_EQ(F[0].Where.Line, 5u);
  EXPECT_EQ(F[0].Kernel, "k");
  EXPECT_EQ(F[0].Count, 2u);
  EXPECT_EQ(F[0].AccessBytes, 4u);
  ASSERT_FALSE(F[0].Threads.empty());
  EXPECT_EQ(F[0].Threads[0].Block, "(1,0,0)");
  EXPECT_EQ(F[0].Threads[0].Thread, "(32,0,0)");
  EXPECT_EQ(F[0].Message.find("0x7f"), std::string::npos) << F[0].Message;
  EXPECT_EQ(F[1].Tag, "misaligned_access");
}

TEST(GpuSanitizer, RacesHaveTwoPlaces) {
  auto F = parseSanitizerReport("racecheck", R"(========= COMPUTE-SANITIZER
========= Error: Race reported between Write access at k(float *)+0x80 in a.cu:7
=========     and Read access at k(float *)+0xb0 in a.cu:9 [4 hazards]
=========
========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)
)",
                                "a.cu");
  ASSERT_EQ(F.size(), 1u);
  EXPECT_EQ(F[0].Tag, "race_shared");
  EXPECT_EQ(F[0].Where.Line, 7u);
  EXPECT_EQ(F[0].Other.Line, 9u);
  EXPECT_TRUE(F[0].Sure);
}

TEST(GpuSanitizer, BarriersAndUninitialised) {
  auto F = parseSanitizerReport("synccheck", "========= COMPUTE-SANITIZER\n========= Barrier error detected. Divergent thread(s) in block\n"
                                             "=========     at k(float *)+0x60 in a.cu:4\n=========     by thread (5,0,0) in block (0,0,0)\n",
                                "a.cu");
  ASSERT_EQ(F.size(), 1u);
  EXPECT_EQ(F[0].Tag, "barrier_divergence");
  EXPECT_EQ(F[0].Where.Line, 4u);
  F = parseSanitizerReport("initcheck", "========= COMPUTE-SANITIZER\n========= Uninitialized __global__ memory read of size 4 bytes\n"
                                        "=========     at k(float *)+0x60 in /tmp/x/other.cuh:4\n",
                           "a.cu");
  ASSERT_EQ(F.size(), 1u);
  EXPECT_EQ(F[0].Tag, "uninitialised_read");
  EXPECT_EQ(F[0].Where.Line, 0u) << "another file's line is not the candidate's";
  EXPECT_TRUE(parseSanitizerReport("memcheck", "========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n", "a.cu").empty());
}

std::string primary(const std::vector<protocol::CounterLabel> &L) {
  std::string P;
  for (const auto &X : L)
    if (X.Primary)
      P += P.empty() ? X.Name : "+" + X.Name;
  return P;
}

TEST(GpuCounters, ExactlyOnePrimaryLabel) {
  protocol::KernelFacts K;
  EXPECT_EQ(primary(labelCounters({{"memory_pct", 91}, {"compute_pct", 30}}, K)), "memory_throughput");
  EXPECT_EQ(primary(labelCounters({{"memory_pct", 40}, {"compute_pct", 75}}, K)), "compute_throughput");
  auto L = labelCounters({{"memory_pct", 20}, {"compute_pct", 15}, {"stall_barrier", 3}, {"stall_wait", 1}}, K);
  EXPECT_EQ(primary(L), "latency_bottleneck");
  EXPECT_NE(L[0].Text.find("barrier"), std::string::npos) << "the top stall is named";
  L = labelCounters({{"memory_pct", 20}, {"compute_pct", 15}, {"active_lanes", 8}, {"occupancy_pct", 45}, {"global_sectors", 320}, {"ideal_sectors", 40},
                     {"shared_wavefronts", 320}, {"shared_conflicts", 310}},
                    K);
  EXPECT_EQ(L.size(), 5u);
  EXPECT_EQ(primary(L), "bank_conflict");
}

TEST(GpuCounters, WithoutCountersStaticFactsSpeak) {
  protocol::KernelFacts K;
  K.Occupancy = 0.25;
  K.Limiter = "registers";
  auto L = labelCounters({}, K);
  ASSERT_EQ(L.size(), 1u);
  EXPECT_EQ(L[0].Name, "occupancy_limit");
  EXPECT_NE(L[0].Text.find("registers"), std::string::npos);
}

TEST(GpuCounters, OccupancyLimiter) {
  OccupancyInput I;
  I.SharedPerUnit = 228 * 1024;
  I.BlockThreads = 256;
  I.Registers = 128;
  I.Resident = 2;
  EXPECT_EQ(occupancyLimiter(I), "registers");
  I.Registers = 16;
  I.SharedPerBlock = 100 * 1024;
  EXPECT_EQ(occupancyLimiter(I), "shared_memory");
  I.SharedPerBlock = 1024;
  I.BlockThreads = 32;
  I.Resident = 32;
  EXPECT_EQ(occupancyLimiter(I), "blocks");
  I.BlockThreads = 256;
  I.Resident = 8;
  EXPECT_EQ(occupancyLimiter(I), "");
}

TEST(GpuSteps, WorkLeftOnASideStreamIsSeen) {
  using namespace protocol;
  LaunchStep L;
  L.Stream = 1;
  std::vector<Step> Steps = {{L, 5}, {SyncStep{}, 0}};
  EXPECT_EQ(StepRunner::unjoined(Steps), std::vector<int>{1}) << "the last sync is the client's own";
  Steps.insert(Steps.begin() + 1, {SyncStep{1}, 6});
  EXPECT_TRUE(StepRunner::unjoined(Steps).empty());
}

} // namespace
