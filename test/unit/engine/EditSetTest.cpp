#include "analyzers/engine/edits/EditSet.h"
#include <gtest/gtest.h>

using namespace kcheck;

TEST(EditSet, AppliesInAnyOrder) {
  auto R = applyEdits("int a;", {{"f", 4, 1, "bc"}, {"f", 0, 3, "long"}});
  ASSERT_TRUE(bool(R));
  EXPECT_EQ(*R, "long bc;");
}

TEST(EditSet, InsertionsAtOnePlaceKeepTheirOrder) {
  auto R = applyEdits("ad", {{"f", 1, 0, "b"}, {"f", 1, 0, "c"}});
  ASSERT_TRUE(bool(R));
  EXPECT_EQ(*R, "abcd");
}

TEST(EditSet, OverlapIsAnError) {
  auto R = applyEdits("abcdef", {{"f", 0, 3, ""}, {"f", 2, 1, ""}});
  EXPECT_FALSE(bool(R));
  llvm::consumeError(R.takeError());
}

TEST(EditSet, LeavingTheFileIsAnError) {
  auto R = applyEdits("abc", {{"f", 2, 5, ""}});
  EXPECT_FALSE(bool(R));
  llvm::consumeError(R.takeError());
}
