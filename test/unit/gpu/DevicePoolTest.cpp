// Who gets which device, without any device: a worker is only started by its first job.
#include "runner/gpu/serve/DevicePool.h"
#include <atomic>
#include <gtest/gtest.h>
#include <thread>

using namespace kcheck::gpu;
using Answer = DevicePool::Answer;

namespace {

constexpr char NoProgram[] = "/nowhere/kcheck-gpu";

TEST(DevicePool, EachRequestHasADeviceOfItsOwn) {
  DevicePool P({0, 1}, NoProgram, 4);
  DevicePool::Lease A, B;
  EXPECT_EQ(P.take(-1, {}, A), Answer::Taken);
  EXPECT_EQ(P.take(-1, {}, B), Answer::Taken);
  EXPECT_NE(A.device(), B.device());
  for (const DevicePool::State &S : P.states())
    EXPECT_TRUE(S.Busy);
  A = DevicePool::Lease();
  unsigned Free = 0;
  for (const DevicePool::State &S : P.states())
    Free += !S.Busy;
  EXPECT_EQ(Free, 1u);
}

TEST(DevicePool, TheOneThatWasAskedFor) {
  DevicePool P({0, 3}, NoProgram, 4);
  DevicePool::Lease L;
  EXPECT_EQ(P.take(3, {}, L), Answer::Taken);
  EXPECT_EQ(L.device(), 3);
  DevicePool::Lease Other;
  EXPECT_EQ(P.take(1, {}, Other), Answer::NoSuchDevice);
  EXPECT_FALSE(Other);
}

TEST(DevicePool, AFullQueueIsRefusedAndWhoGoesAwayLeavesIt) {
  DevicePool P({0}, NoProgram, 1);
  DevicePool::Lease Holder;
  ASSERT_EQ(P.take(-1, {}, Holder), Answer::Taken);
  std::atomic<bool> Gone = false;
  Answer Waited = Answer::Taken;
  std::thread T([&] {
    DevicePool::Lease L;
    Waited = P.take(-1, [&] { return Gone.load(); }, L);
  });
  while (P.waiting() == 0)
    std::this_thread::yield();
  DevicePool::Lease Third;
  EXPECT_EQ(P.take(-1, {}, Third), Answer::QueueFull);
  Gone = true;
  T.join();
  EXPECT_EQ(Waited, Answer::Cancelled);
  EXPECT_EQ(P.waiting(), 0u);
}

TEST(DevicePool, AWaitingRequestGetsTheDeviceThatIsGivenBack) {
  DevicePool P({0}, NoProgram, 2);
  Answer Got = Answer::Cancelled;
  std::thread T;
  {
    DevicePool::Lease Holder;
    ASSERT_EQ(P.take(-1, {}, Holder), Answer::Taken);
    T = std::thread([&] {
      DevicePool::Lease L;
      Got = P.take(0, {}, L);
    });
    while (P.waiting() == 0)
      std::this_thread::yield();
  }
  T.join();
  EXPECT_EQ(Got, Answer::Taken);
  EXPECT_FALSE(P.states().front().Busy);
}

} // namespace
