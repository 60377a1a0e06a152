#include "runner/sim/Memory.h"
#include <gtest/gtest.h>

using namespace kcheck::sim;

namespace {

class MemoryTest : public testing::Test {
protected:
  void SetUp() override {
    std::string Error;
    if (!M.reserve(Error))
      GTEST_SKIP() << Error;
  }
  void TearDown() override { M.reset(true); }
  static Memory M;
};
Memory MemoryTest::M;

TEST_F(MemoryTest, BytesExistExactlyWithinAnAllocation) {
  uint64_t A = M.allocate("a", 10, 1, false) - DataBase;
  EXPECT_TRUE(Memory::exists(A, 10));
  EXPECT_FALSE(Memory::exists(A, 11));
  EXPECT_FALSE(Memory::exists(A - 1, 1));
  EXPECT_FALSE(Memory::exists(A + 10, 1));
}

TEST_F(MemoryTest, WrittenBytesAreCountedOneByOne) {
  uint64_t A = M.allocate("a", 100, 4, false) - DataBase;
  EXPECT_EQ(Memory::unwrittenBytes(A, 100), 100u);
  Memory::markWritten(A + 3, 7);
  EXPECT_EQ(Memory::unwrittenBytes(A, 100), 93u);
  EXPECT_TRUE(Memory::written(A + 3, 7));
  EXPECT_FALSE(Memory::written(A + 2, 7));
  Memory::mark(A + 5, 1, true, false);
  EXPECT_FALSE(Memory::written(A + 3, 7));
  EXPECT_TRUE(Memory::exists(A, 100));
}

TEST_F(MemoryTest, FreedMemoryKeepsItsName) {
  uint64_t A = M.allocate("a", 64, 4, true);
  uint64_t B = M.allocate("b", 64, 4, true);
  EXPECT_TRUE(M.release(A));
  EXPECT_FALSE(M.release(A));
  EXPECT_FALSE(M.release(B + 4));
  ASSERT_TRUE(M.find(A + 8));
  EXPECT_TRUE(M.find(A + 8)->Freed);
  EXPECT_FALSE(Memory::exists(A - DataBase, 1));
  EXPECT_EQ(M.nearest(B + 64)->Name, "b");
}

TEST_F(MemoryTest, TheLimitHolds) {
  M.setLimit(1000);
  EXPECT_NE(M.allocate("a", 900, 1, false), 0u);
  EXPECT_EQ(M.allocate("b", 200, 1, false), 0u);
  M.setLimit(~uint64_t(0));
}

} // namespace
