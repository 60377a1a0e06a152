#include "runner/sim/PtxParse.h"
#include <gtest/gtest.h>

using namespace kcheck::sim;

namespace {

TEST(PtxParse, ScopesRegistersAndVectors) {
  auto S = parsePtx("{.reg .f16 low,high;\n mov.b32 {low,high}, $1;\n cvt.f32.f16 $0, low;}\n");
  ASSERT_EQ(S.size(), 3u);
  EXPECT_EQ(S[0].What, PtxStatement::Register);
  EXPECT_EQ(S[0].Op[0], "f16");
  EXPECT_EQ(S[0].Operands, (std::vector<std::string>{"low", "high"}));
  EXPECT_EQ(S[1].Op, (std::vector<std::string>{"mov", "b32"}));
  EXPECT_EQ(S[1].Operands, (std::vector<std::string>{"{low,high}", "$1"}));
  EXPECT_EQ(S[2].Operands[1], "low");
}

TEST(PtxParse, GuardsAndAddresses) {
  auto S = parsePtx("@!p st.global.v4.f32 [$0+16], {a, b, c, d}; // store\n/* none */");
  ASSERT_EQ(S.size(), 1u);
  EXPECT_EQ(S[0].Guard, "p");
  EXPECT_TRUE(S[0].Negated);
  EXPECT_TRUE(S[0].has("v4"));
  EXPECT_EQ(S[0].Operands, (std::vector<std::string>{"[$0+16]", "{a, b, c, d}"}));
}

TEST(PtxParse, LabelsAndBranches) {
  auto S = parsePtx("LOOP: add.u32 $0, $0, 1; @p bra LOOP; cp.async.cg.shared.global.L2::128B [$1], [$2], 16;");
  ASSERT_EQ(S.size(), 4u);
  EXPECT_EQ(S[0].What, PtxStatement::Label);
  EXPECT_EQ(S[0].Op[0], "LOOP");
  EXPECT_EQ(S[2].Op[0], "bra");
  EXPECT_TRUE(S[3].has("L2::128B"));
}

} // namespace
