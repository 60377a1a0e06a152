#include "matchers/StepLimit.h"
#include <gtest/gtest.h>
#include <thread>

using kcheck::StepLimit;

TEST(StepLimitTest, HoldsWhileItLivesOnItsThread) {
  const unsigned File = StepLimit::ofFile(), Run = StepLimit::ofRun();
  {
    StepLimit Few(File / 3, Run / 3);
    EXPECT_EQ(StepLimit::ofFile(), File / 3);
    {
      StepLimit Fewer(5, 2);
      EXPECT_EQ(StepLimit::ofRun(), 2u);
    }
    EXPECT_EQ(StepLimit::ofRun(), Run / 3);
    std::thread([&] { EXPECT_EQ(StepLimit::ofFile(), File); }).join();
  }
  EXPECT_EQ(StepLimit::ofFile(), File);
  EXPECT_EQ(StepLimit::ofRun(), Run);
}
