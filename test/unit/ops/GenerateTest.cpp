#include "runner/ops/Generate.h"
#include "runner/ops/Philox.h"
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <set>

using namespace kcheck::ops;
using kcheck::protocol::Generator;

static Generator gen(const char *Name, double A = 0, double B = 1, uint64_t Seed = 7) {
  Generator G;
  G.Distribution = Name;
  G.Seed = Seed;
  G.A = A;
  G.B = B;
  return G;
}
static std::vector<double> draw(const Generator &G, DType T, std::vector<int64_t> Shape) { return toDoubles(T, generate(G, T, Shape)); }

TEST(Philox, KnownAnswer) { // the authors' test vectors for philox4x32-10
  EXPECT_EQ(philox(0, 0, 0), (std::array<uint32_t, 4>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox(~0ull, ~0ull, ~0ull), (std::array<uint32_t, 4>{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
}

TEST(Generate, SeedAndStreamDecideEverything) {
  Generator A = gen("normal"), B = gen("normal", 0, 1, 8), C = A;
  C.Stream = 1;
  EXPECT_EQ(generate(A, DType::F32, {100000}), generate(A, DType::F32, {100000}));
  EXPECT_NE(generate(A, DType::F32, {100}), generate(B, DType::F32, {100}));
  EXPECT_NE(generate(A, DType::F32, {100}), generate(C, DType::F32, {100}));
}

TEST(Generate, NormalHasItsMoments) {
  auto V = draw(gen("normal", 3, 2), DType::F64, {200000});
  double Mean = 0, Var = 0;
  for (double X : V)
    Mean += X / double(V.size());
  for (double X : V)
    Var += (X - Mean) * (X - Mean) / double(V.size());
  EXPECT_NEAR(Mean, 3, 0.02);
  EXPECT_NEAR(std::sqrt(Var), 2, 0.02);
}

TEST(Generate, UniformAndIndexStayInRange) {
  for (double X : draw(gen("uniform", -1, 1), DType::F32, {50000}))
    EXPECT_TRUE(X >= -1 && X < 1);
  std::set<double> Seen;
  for (double X : draw(gen("index", 0, 10), DType::I32, {2000})) {
    EXPECT_TRUE(X >= 0 && X < 10);
    Seen.insert(X);
  }
  EXPECT_EQ(Seen.size(), 10u);
}

TEST(Generate, OneHotHasOneInEachRow) {
  auto V = draw(gen("one_hot"), DType::F32, {50, 33});
  for (int R = 0; R < 50; ++R)
    EXPECT_EQ(std::count(V.begin() + R * 33, V.begin() + (R + 1) * 33, 1.0), 1);
}

TEST(Generate, SpecialValues) {
  auto V = draw(gen("nan_inf"), DType::F16, {2000});
  EXPECT_TRUE(std::any_of(V.begin(), V.end(), [](double X) { return std::isnan(X); }));
  EXPECT_TRUE(std::any_of(V.begin(), V.end(), [](double X) { return X == HUGE_VAL; }));
  V = draw(gen("inf"), DType::F32, {2000});
  EXPECT_FALSE(std::any_of(V.begin(), V.end(), [](double X) { return std::isnan(X); }));
  for (double X : draw(gen("denormal"), DType::F32, {100}))
    EXPECT_TRUE(X != 0 && std::fabs(X) < 0x1p-126);
  for (double X : draw(gen("extreme"), DType::F16, {1000}))
    EXPECT_TRUE(std::isfinite(X));
}

TEST(Generate, PermutationHoldsEachOnce) {
  auto V = draw(gen("permutation"), DType::I32, {500});
  EXPECT_EQ(std::set<double>(V.begin(), V.end()).size(), 500u);
}

TEST(Generate, EveryDistributionFillsEveryType) {
  for (const std::string &D : distributions())
    for (DType T : {DType::F64, DType::F32, DType::F16, DType::BF16, DType::I64, DType::I32, DType::I8, DType::U8, DType::Bool})
      EXPECT_EQ(generate(gen(D.c_str()), T, {3, 5}).size(), 15 * kcheck::protocol::sizeOf(T)) << D;
  EXPECT_TRUE(generate(gen("normal"), DType::F32, {0}).empty());
}
