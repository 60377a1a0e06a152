// Every operator: its reference is defined at every sample, agrees with its own rounding, and notices a fault.
#include "runner/ops/Baselines.h"
#include "runner/ops/Compare.h"
#include "runner/ops/Generate.h"
#include "runner/ops/Samples.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace kcheck::ops;
using kcheck::protocol::Role;

namespace {

/// A launcher with the operator's own arguments.
std::vector<Param> ownParams(const Operator &O) {
  std::vector<Param> P;
  for (const Arg &A : O.Args) {
    Param X;
    X.Name = A.Name;
    X.Pointer = A.What == Arg::Kind::Buffer;
    X.Const = X.Pointer && A.How == Role::In;
    X.Type = A.What == Arg::Kind::Dim ? DType::I32 : A.What == Arg::Kind::Attr ? DType::F32 : A.Usual;
    P.push_back(X);
  }
  return P;
}

Call prepare(const Binding &B, const Case &K) {
  Call C;
  C.Sizes = B.operatorDims(K.Sizes);
  uint64_t Stream = 0;
  for (const Arg &A : B.Op->Args) {
    if (A.What != Arg::Kind::Buffer || A.How == Role::Out)
      continue;
    Value V;
    V.Type = B.typeOf(A);
    for (const std::string &E : A.Shape)
      V.Shape.push_back(*evaluate(E, C.Sizes));
    V.Data = toDoubles(V.Type, generate(generatorFor(A, V.Type, K.Inputs, C.Sizes, 11, Stream++), V.Type, V.Shape));
    C.In[A.Name] = std::move(V);
  }
  return C;
}

class EachOperator : public testing::TestWithParam<std::string> {};

TEST_P(EachOperator, RunsAtItsSamples) {
  const Operator &O = *findOperator(GetParam());
  std::vector<std::string> Problems;
  auto B = match(O, ownParams(O), Problems);
  ASSERT_TRUE(B) << Problems.front();
  ASSERT_EQ(B->Op, &O);
  SampleOptions Small;
  Small.MostElements = 20000;
  Small.MostWork = 300000;
  auto Cases = sampleCases(*B, Small);
  ASSERT_GE(Cases.size(), O.Draws.size());
  int Noticed = 0;
  for (const Case &K : Cases) {
    Call C = prepare(*B, K);
    evaluateReference(O, C, {});
    for (auto &[Name, V] : C.Out) {
      std::string At = O.Name + "." + Name + " at " + toString(K.Sizes) + ", " + K.Inputs.Distribution;
      bool Special = K.Inputs.Distribution.find("inf") != std::string::npos || K.Inputs.Distribution == "extreme";
      for (double X : V.Data)
        ASSERT_TRUE(Special || std::isfinite(X)) << At;
      if (!V.Terms.empty()) {
        ASSERT_EQ(V.Terms.size(), V.Data.size()) << At;
      }
      auto Accept = [&](int64_t I, double Got) { return O.Accept && O.Accept(C, Name, I, Got); };
      Bytes Right = fromDoubles(V.Type, V.Data);
      Comparison Good = compare(Right, V, defaultTolerance(V.Type), 0xFF, Accept);
      ASSERT_TRUE(Good.pass()) << At << ": " << describe(Good);
      if (V.Data.empty() || Special)
        continue;
      std::vector<double> Broken = V.Data;
      for (double &X : Broken)
        X = X * 1.5 + 3;
      Noticed += !compare(fromDoubles(V.Type, Broken), V, defaultTolerance(V.Type), 0xFF, Accept).pass();
    }
  }
  EXPECT_GT(Noticed, 0);
}

TEST_P(EachOperator, HasABaseline) {
  std::string Launcher = "void launch_" + GetParam() + "(";
  EXPECT_NE(baseline(GetParam()).find(Launcher), std::string_view::npos);
}

std::vector<std::string> allNames() {
  std::vector<std::string> N;
  for (const Operator *O : allOperators())
    N.push_back(O->Name);
  return N;
}
INSTANTIATE_TEST_SUITE_P(All, EachOperator, testing::ValuesIn(allNames()), [](const auto &I) { return I.param; });

/// The operator's outputs for given inputs.
Call run(const char *Name, Dims Sizes, std::map<std::string, std::vector<double>> Inputs, std::string Variant = "") {
  Call C;
  C.Sizes = std::move(Sizes);
  C.Variant = std::move(Variant);
  for (auto &[N, V] : Inputs)
    C.In[N].Data = V;
  evaluateReference(*findOperator(Name), C, {});
  return C;
}
using V = std::vector<double>;

TEST(Reference, Matmul) {
  V A = {1, 2, 3, 4, 5, 6}, B = {7, 8, 9, 10, 11, 12}; // [2,3] and [3,2]
  V Right = {58, 64, 139, 154}, AT = {1, 4, 2, 5, 3, 6}, BT = {7, 9, 11, 8, 10, 12};
  Dims D{{"m", 2}, {"n", 2}, {"k", 3}};
  EXPECT_EQ(run("matmul", D, {{"a", A}, {"b", B}}).Out["c"].Data, Right);
  EXPECT_EQ(run("matmul_nt", D, {{"a", A}, {"b", BT}}).Out["c"].Data, Right);
  EXPECT_EQ(run("matmul_tn", D, {{"a", AT}, {"b", B}}).Out["c"].Data, Right);
  EXPECT_EQ(run("matmul_tt", D, {{"a", AT}, {"b", BT}}).Out["c"].Data, Right);
  EXPECT_EQ(run("matmul", D, {{"a", A}, {"b", B}}).Out["c"].Terms, Right);
  EXPECT_EQ(run("linear_relu", D, {{"x", A}, {"w", BT}, {"bias", {-60, 1}}}).Out["y"].Data, (V{0, 65, 79, 155}));
}

TEST(Reference, Rows) {
  Dims D{{"rows", 2}, {"cols", 2}};
  V Y = run("softmax", D, {{"x", {0, 0, 1, 1}}}).Out["y"].Data;
  EXPECT_EQ(Y, (V{0.5, 0.5, 0.5, 0.5}));
  Y = run("layernorm", D, {{"x", {1, 3, 5, 5}}, {"gamma", {1, 2}}, {"beta", {0, 1}}}).Out["y"].Data;
  EXPECT_NEAR(Y[0], -1, 1e-5);
  EXPECT_NEAR(Y[1], 3, 1e-4);
  EXPECT_EQ(Y[2], 0);
  EXPECT_EQ(run("transpose", {{"rows", 2}, {"cols", 3}}, {{"x", {1, 2, 3, 4, 5, 6}}}).Out["y"].Data, (V{1, 4, 2, 5, 3, 6}));
  EXPECT_NEAR(run("cross_entropy", D, {{"logits", {0, 0, 9, 9}}, {"labels", {0, 1}}}).Out["loss"].Data[1], std::log(2.0), 1e-12);
}

TEST(Reference, ReductionsAndScans) {
  V X = {3, -1, 4, 1};
  Dims D{{"n", 4}};
  EXPECT_EQ(run("reduce_sum", D, {{"x", X}}).Out["y"].Data, V{7});
  EXPECT_EQ(run("reduce_max", D, {{"x", X}}).Out["y"].Data, V{4});
  EXPECT_EQ(run("reduce_mean", D, {{"x", X}}).Out["y"].Data, V{1.75});
  EXPECT_EQ(run("scan", D, {{"x", X}}).Out["y"].Data, (V{3, 2, 6, 7}));
  EXPECT_EQ(run("scan_exclusive", D, {{"x", X}}).Out["y"].Data, (V{0, 3, 2, 6}));
  EXPECT_EQ(run("argmax_flat", D, {{"x", X}}).Out["y"].Data, V{2});
  EXPECT_EQ(run("col_sum", {{"rows", 2}, {"cols", 2}}, {{"x", X}}).Out["y"].Data, (V{7, 0}));
}

TEST(Reference, IndicesAndWindows) {
  EXPECT_EQ(run("gather", {{"n", 3}, {"m", 2}}, {{"src", {5, 6, 7}}, {"idx", {2, 0}}}).Out["out"].Data, (V{7, 5}));
  EXPECT_EQ(run("scatter_add", {{"n", 2}, {"m", 3}}, {{"src", {1, 2, 4}}, {"idx", {1, 1, 0}}, {"out", {10, 20}}}).Out["out"].Data, (V{14, 23}));
  EXPECT_EQ(run("histogram", {{"n", 4}, {"bins", 3}}, {{"x", {0, 2, 2, 2}}, {"counts", {0, 0, 0}}}).Out["counts"].Data, (V{1, 0, 3}));
  EXPECT_EQ(run("conv1d_single", {{"n", 4}, {"k", 2}}, {{"x", {1, 2, 3, 4}}, {"w", {1, 10}}}).Out["y"].Data, (V{21, 32, 43}));
  EXPECT_EQ(run("conv2d_same", {{"h", 2}, {"wd", 3}, {"k", 3}}, {{"x", {1, 2, 3, 4, 5, 6}}, {"w", {0, 0, 0, 1, 0, 0, 0, 0, 10}}}).Out["y"].Data, (V{50, 61, 2, 0, 4, 5}));
  EXPECT_EQ(run("conv2d_strided", {{"n", 1}, {"cin", 1}, {"cout", 1}, {"h", 3}, {"wd", 3}, {"r", 2}, {"s", 2}, {"stride", 2}, {"pad", 1}},
                {{"x", {1, 2, 3, 4, 5, 6, 7, 8, 9}}, {"w", {1, 10, 100, 1000}}})
                .Out["y"]
                .Data,
            (V{1000, 3200, 7040, 9865}));
  EXPECT_EQ(run("maxpool2d", {{"nc", 1}, {"h", 2}, {"wd", 2}}, {{"x", {1, 9, 3, 4}}}).Out["y"].Data, V{9});
}

TEST(Reference, VariantsDiffer) {
  V Erf = run("gelu", {{"n", 1}}, {{"x", {1}}}, "erf").Out["y"].Data, Tanh = run("gelu", {{"n", 1}}, {{"x", {1}}}, "tanh").Out["y"].Data;
  EXPECT_NEAR(Erf[0], 0.8413447, 1e-6);
  EXPECT_NEAR(Tanh[0], 0.8411920, 1e-6);
  Dims D{{"seq", 1}, {"heads", 1}, {"d", 4}};
  std::map<std::string, V> In{{"x", {1, 2, 3, 4}}, {"cos", {0, 0}}, {"sin", {1, 1}}};
  EXPECT_EQ(run("rope", D, In, "half").Out["y"].Data, (V{-3, -4, 1, 2}));
  EXPECT_EQ(run("rope", D, In, "pairs").Out["y"].Data, (V{-2, 1, -4, 3}));
}

TEST(Reference, AttentionOfEqualKeysIsTheMeanValue) {
  Dims D{{"batch", 1}, {"heads", 1}, {"seq", 2}, {"d", 1}};
  std::map<std::string, V> In{{"q", {1, 1}}, {"k", {0, 0}}, {"v", {2, 4}}};
  EXPECT_EQ(run("attention", D, In).Out["out"].Data, (V{3, 3}));
  EXPECT_EQ(run("attention_causal", D, In).Out["out"].Data, (V{2, 3}));
}

TEST(Reference, TiesAndRoundingAreAccepted) {
  Call C = run("argmax_flat", {{"n", 3}}, {{"x", {5, 5, 1}}});
  auto Accept = findOperator("argmax_flat")->Accept;
  EXPECT_TRUE(Accept(C, "y", 0, 1));
  EXPECT_FALSE(Accept(C, "y", 0, 2));
  EXPECT_FALSE(Accept(C, "y", 0, 9));
}

} // namespace
