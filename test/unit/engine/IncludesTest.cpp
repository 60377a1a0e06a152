#include "analyzers/engine/driver/Includes.h"
#include "gtest/gtest.h"

using namespace kcheck;

static std::string names(llvm::StringRef Text) {
  std::string Out;
  for (const IncludeName &I : leadingIncludes(Text))
    Out += (I.Angled ? "<" : "'") + I.Name + (I.Angled ? ">" : "'");
  return Out;
}

TEST(LeadingIncludes, TakesTheFirstRun) {
  EXPECT_EQ(names("// c\n/* d\n */\n#include <vector>\n#  include \"x.h\" // why\n\nint i;\n#include <map>\n"), "<vector>'x.h'");
}
TEST(LeadingIncludes, StopsAtAMacro) { EXPECT_EQ(names("#include <a>\n#define N 1\n#include <b>\n"), "<a>"); }
TEST(LeadingIncludes, StopsAtACondition) { EXPECT_EQ(names("#include <a>\n#ifdef X\n#include <b>\n#endif\n"), "<a>"); }
TEST(LeadingIncludes, SeesThroughAHeaderGuard) {
  EXPECT_EQ(names("#ifndef G\n#define G\n#include <a>\n"), "<a>");
  EXPECT_EQ(names("#pragma once\n#include <a>\n"), "<a>");
  EXPECT_EQ(names("#ifndef G\n#define OTHER\n#include <a>\n"), "");
}
TEST(LeadingIncludes, SurvivesGarbage) {
  EXPECT_EQ(names(""), "");
  EXPECT_EQ(names("#"), "");
  EXPECT_EQ(names("/* never closed"), "");
  EXPECT_EQ(names("#include <a"), "");
  EXPECT_EQ(names(llvm::StringRef("\0#include <a>", 13)), "");
}
