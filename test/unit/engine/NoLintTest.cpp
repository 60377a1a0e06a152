#include "analyzers/engine/suppress/NoLint.h"
#include <gtest/gtest.h>

using namespace kcheck;

static bool hides(const NoLint &N, unsigned Line, llvm::StringRef Tag = "missing_barrier", llvm::StringRef Rule = "kcheck-sync") {
  return N.suppresses(Line, Rule, Tag);
}

TEST(NoLint, Line) {
  NoLint N("a;\nb; // NOLINT\nc; // NOLINT(kcheck-perf, kcheck-sync-missing-*)\nd; /* NOLINT(other-check) */\n");
  EXPECT_FALSE(hides(N, 1));
  EXPECT_TRUE(hides(N, 2));
  EXPECT_TRUE(hides(N, 3));
  EXPECT_TRUE(hides(N, 3, "scalar_access", "kcheck-perf"));
  EXPECT_FALSE(hides(N, 3, "barrier_divergence"));
  EXPECT_FALSE(hides(N, 4));
}

TEST(NoLint, NextLineAndBlockComment) {
  NoLint N("// NOLINTNEXTLINE(missing_barrier)\nb;\n/* first\n   NOLINTNEXTLINE */\nc;\n");
  EXPECT_FALSE(hides(N, 1));
  EXPECT_TRUE(hides(N, 2));
  EXPECT_FALSE(hides(N, 4));
  EXPECT_TRUE(hides(N, 5));
}

TEST(NoLint, BeginEnd) {
  NoLint N("a;\n// NOLINTBEGIN(kcheck-sync)\nb;\n// NOLINTEND(kcheck-sync)\nc;\n");
  EXPECT_FALSE(hides(N, 1));
  EXPECT_TRUE(hides(N, 3));
  EXPECT_FALSE(hides(N, 3, "scalar_access", "kcheck-perf"));
  EXPECT_FALSE(hides(N, 5));
  EXPECT_TRUE(N.Problems.empty());
}

TEST(NoLint, UnbalancedSuppressesNothing) {
  NoLint N("// NOLINTBEGIN\na;\n");
  EXPECT_FALSE(hides(N, 2));
  ASSERT_EQ(N.Problems.size(), 1u);
  EXPECT_EQ(N.Problems[0], "1: NOLINTBEGIN without NOLINTEND; it suppresses nothing");
  NoLint M("// NOLINTBEGIN(a)\n// NOLINTEND(b)\n");
  EXPECT_EQ(M.Problems.size(), 2u);
}

TEST(NoLint, File) {
  NoLint N("// NOLINTFILE(kcheck-perf)\na;\n");
  EXPECT_TRUE(hides(N, 900, "scalar_access", "kcheck-perf"));
  EXPECT_FALSE(hides(N, 2));
}

TEST(NoLint, OnlyComments) {
  NoLint N("f(\"// NOLINT\");\nauto r = R\"x( // NOLINT \n)x\"; int i = 1'000; // real NOLINT\nchar c = '\"'; // NOLINT\nMY_NOLINT; // aNOLINT\n");
  EXPECT_FALSE(hides(N, 1));
  EXPECT_FALSE(hides(N, 2));
  EXPECT_TRUE(hides(N, 3));
  EXPECT_TRUE(hides(N, 4));
  EXPECT_FALSE(hides(N, 5));
}

TEST(NoLint, BrokenText) {
  for (llvm::StringRef T : {"NOLINT \"", "R\"NOLINT", "/* NOLINT", "// NOLINT(", "'\\", "// NOLINT \\\n"})
    NoLint N(T);
  EXPECT_FALSE(hides(NoLint("// NOLINT("), 1));
  EXPECT_FALSE(hides(NoLint("// NOLINT()"), 1));
}
