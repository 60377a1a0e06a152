#include "runner/ops/Expr.h"
#include <gtest/gtest.h>

using namespace kcheck::ops;

TEST(Expr, Arithmetic) {
  Dims D{{"n", 10}, {"k", 3}};
  EXPECT_EQ(evaluate("n", D), 10);
  EXPECT_EQ(evaluate("n-k+1", D), 8);
  EXPECT_EQ(evaluate("(n + 3) / 4 * 4", D), 12);
  EXPECT_EQ(evaluate("n % k", D), 1);
  EXPECT_EQ(evaluate("-k*2", D), -6);
}

TEST(Expr, SaysWhatIsWrong) {
  std::string E;
  EXPECT_FALSE(evaluate("m", {}, &E));
  EXPECT_EQ(E, "dim 'm' has no value");
  EXPECT_FALSE(evaluate("4/(2-2)", {}, &E));
  EXPECT_NE(E.find("divides by zero"), std::string::npos);
  EXPECT_FALSE(evaluate("3 4", {}, &E));
  EXPECT_FALSE(evaluate("", {}, &E));
  EXPECT_FALSE(evaluate("9999999999999999999", {}, &E));
  EXPECT_FALSE(evaluate(std::string(5000, '('), {}, &E));
}

TEST(Expr, Shapes) {
  EXPECT_EQ(splitShape("n, (k+1)*2 ,3"), (std::vector<std::string>{"n", "(k+1)*2", "3"}));
  EXPECT_TRUE(splitShape("").empty());
  EXPECT_EQ(namesIn("n*(k+1)/2"), (std::vector<std::string>{"n", "k"}));
}
