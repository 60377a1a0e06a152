#include "agent/chat/Extract.h"
#include <gtest/gtest.h>
#include <string>

using kcheck::agent::objectsIn;

TEST(ExtractTest, FindsObjectsAmongProseAndFences) {
  auto Found = objectsIn("I think {so}.\n```json\n{\"a\": {\"b\": \"}{\"}, \"c\": \"\\\"}\"}\n```\nDone {");
  ASSERT_EQ(Found.size(), 2u);
  EXPECT_EQ(Found[0], "{so}");
  EXPECT_EQ(Found[1], "{\"a\": {\"b\": \"}{\"}, \"c\": \"\\\"}\"}");
}

TEST(ExtractTest, LeavesOutWhatNeverEndsOrNestsTooDeep) {
  EXPECT_TRUE(objectsIn("").empty());
  EXPECT_TRUE(objectsIn("no braces").empty());
  EXPECT_TRUE(objectsIn(std::string(100000, '{')).empty());
  std::string Deep = std::string(100, '{') + std::string(100, '}');
  for (auto Part : objectsIn(Deep))
    EXPECT_LE(Part.size(), 128u);
}
