#include "runner/sim/Clocks.h"
#include <gtest/gtest.h>

using namespace kcheck::sim;

namespace {

TEST(Clocks, AcquireSeesWhatWasReleasedBefore) {
  Clocks C;
  C.release(100, /*Uid=*/1, /*Thread=*/0, /*Epoch=*/5, /*BarrierEpoch=*/4, {});
  Acquired Knows;
  C.acquire(100, Knows);
  EXPECT_TRUE(C.knows(Knows, 1, 0, 5));
  EXPECT_FALSE(C.knows(Knows, 1, 0, 6)) << "what the thread did after the release";
  EXPECT_TRUE(C.knows(Knows, 1, 7, 3)) << "the block, before its barrier";
  EXPECT_FALSE(C.knows(Knows, 1, 7, 4)) << "another thread, after the barrier";
  EXPECT_FALSE(C.knows(Knows, 2, 0, 1));
}

TEST(Clocks, LaterReleasesAreNotAcquired) {
  Clocks C;
  C.release(100, 1, 0, 5, 1, {});
  Acquired Knows;
  C.acquire(100, Knows);
  C.release(100, 2, 0, 5, 1, {});
  EXPECT_FALSE(C.knows(Knows, 2, 0, 5));
  C.acquire(100, Knows);
  EXPECT_TRUE(C.knows(Knows, 2, 0, 5));
}

TEST(Clocks, KnowledgeIsPassedOn) {
  Clocks C;
  C.release(100, 1, 0, 5, 1, {});
  Acquired Middle, Last;
  C.acquire(100, Middle);
  C.release(200, 2, 0, 3, 1, Middle);
  C.acquire(200, Last);
  EXPECT_TRUE(C.knows(Last, 1, 0, 5));
  EXPECT_TRUE(C.knows(Last, 2, 0, 3));
}

TEST(Clocks, OtherPlacesTellNothing) {
  Clocks C;
  C.release(100, 1, 0, 5, 1, {});
  Acquired Knows;
  C.acquire(104, Knows);
  EXPECT_TRUE(Knows.empty());
}

} // namespace
