#include "runner/ops/Element.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace kcheck::ops;

TEST(Element, HalfRoundsToNearestEven) {
  EXPECT_EQ(roundTo(DType::F16, 1.0 + 0x1p-11), 1.0);
  EXPECT_EQ(roundTo(DType::F16, 1.0 + 3 * 0x1p-11), 1.0 + 0x1p-9);
  EXPECT_EQ(roundTo(DType::F16, 65504), 65504);
  EXPECT_TRUE(std::isinf(roundTo(DType::F16, 70000)));
}

TEST(Element, BfloatRoundsOnce) {
  EXPECT_EQ(roundTo(DType::BF16, 1.0 + 0x1p-8), 1.0);
  EXPECT_EQ(roundTo(DType::BF16, 1.0 + 0x1p-8 + 0x1p-40), 1.0 + 0x1p-7); // a tie in fp32 only
  EXPECT_TRUE(std::isnan(roundTo(DType::BF16, NAN)));
}

TEST(Element, IntegersSaturate) {
  EXPECT_EQ(roundTo(DType::I8, 300), 127);
  EXPECT_EQ(roundTo(DType::U8, -3), 0);
  EXPECT_EQ(roundTo(DType::I32, -7.9), -7);
  EXPECT_EQ(roundTo(DType::Bool, 0.5), 1);
}

TEST(Element, EveryTypeComesBack) {
  for (DType T : {DType::F64, DType::F32, DType::F16, DType::BF16, DType::I64, DType::I32, DType::I16, DType::I8, DType::U64, DType::U32,
                  DType::U16, DType::U8}) {
    std::vector<double> V = {0, 1, 2, 100};
    EXPECT_EQ(toDoubles(T, fromDoubles(T, V)), V) << kcheck::protocol::toString(T);
  }
}
