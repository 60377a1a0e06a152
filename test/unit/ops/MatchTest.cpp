#include "runner/ops/Match.h"
#include <gtest/gtest.h>

using namespace kcheck::ops;

static Param in(std::string Name, DType T = DType::F32) { return {std::move(Name), true, true, false, T, "const float *"}; }
static Param out(std::string Name, DType T = DType::F32) { return {std::move(Name), true, false, false, T, "float *"}; }
static Param num(std::string Name, DType T = DType::I32) { return {std::move(Name), false, false, false, T, "int"}; }

static std::string names(const std::optional<Binding> &B) {
  std::string S = B ? B->Op->Name + ":" : "none";
  if (B)
    for (const BoundParam &P : B->Params)
      S += " " + (P.What == BoundParam::Kind::Stream ? "stream" : P.Arg);
  return S;
}
static std::string matched(const char *Op, std::vector<Param> Params, std::vector<std::string> *Problems = nullptr) {
  std::vector<std::string> Local;
  return names(match(*findOperator(Op), Params, Problems ? *Problems : Local));
}

TEST(Match, ByName) {
  EXPECT_EQ(matched("tanh_add", {in("a"), in("b"), out("out"), num("n")}), "tanh_add: a b out n");
  EXPECT_EQ(matched("tanh_add", {out("out"), in("b"), in("a"), num("size")}), "tanh_add: out b a n");
  EXPECT_EQ(matched("matmul", {in("A"), in("B"), out("C"), num("M"), num("N"), num("K")}), "matmul: a b c m n k");
  EXPECT_EQ(matched("matmul", {in("A"), in("B"), out("C"), num("M"), num("K"), num("N")}), "matmul: a b c m k n");
  EXPECT_EQ(matched("linear_relu", {in("x"), in("w"), in("b"), out("y"), num("M"), num("N"), num("K")}), "linear_relu: x w bias y m n k");
  EXPECT_EQ(matched("layernorm", {in("input"), in("weight"), in("bias"), out("output"), num("batch"), num("hidden"), num("eps", DType::F32)}),
            "layernorm: x gamma beta y rows cols eps");
  EXPECT_EQ(matched("transpose", {in("in"), out("out"), num("width"), num("height")}), "transpose: x y cols rows");
}

TEST(Match, ByOrderWhereNamesSayNothing) {
  EXPECT_EQ(matched("softmax", {out("p"), out("q"), num("i"), num("j")}), "softmax: x y rows cols");
  EXPECT_EQ(matched("tanh_add", {in("p"), in("q"), out("r"), num("count")}), "tanh_add: a b out n");
}

TEST(Match, ByConstness) { EXPECT_EQ(matched("relu", {out("p"), in("q"), num("n")}), "relu: y x n"); }

TEST(Match, StreamsAndOptionalArguments) {
  Param S;
  S.Name = "stream";
  S.Stream = true;
  EXPECT_EQ(matched("relu", {in("x"), out("y"), num("n"), S}), "relu: x y n stream");
  EXPECT_EQ(matched("layernorm", {in("x"), out("y"), num("rows"), num("cols")}), "layernorm: x y rows cols");
}

TEST(Match, OtherFormsOfAnOperator) {
  EXPECT_EQ(matched("reduce_sum", {in("x"), out("out"), num("n")}), "reduce_sum: x y n");
  EXPECT_EQ(matched("matmul", {in("a"), in("b"), out("c"), num("n")}), "matmul_square: a b c n");
}

TEST(Match, FlatSizesMayBeAProduct) {
  std::vector<std::string> Problems;
  auto B = match(*findOperator("relu"), {in("x"), out("y"), num("rows"), num("cols")}, Problems);
  ASSERT_TRUE(B);
  EXPECT_EQ(B->Free, (std::vector<std::string>{"rows", "cols"}));
  EXPECT_EQ(B->operatorDims({{"rows", 3}, {"cols", 5}}).at("n"), 15);
}

TEST(Match, SaysWhatDoesNotFit) {
  std::vector<std::string> Problems;
  EXPECT_EQ(matched("tanh_add", {in("a"), out("out"), num("n")}, &Problems), "none");
  ASSERT_EQ(Problems.size(), 1u);
  EXPECT_EQ(Problems[0], "no parameter for input 'b' of tanh_add(a, b, out, n)");
  Problems.clear();
  EXPECT_EQ(matched("relu", {in("x"), out("y"), in("mask", DType::I32), num("n")}, &Problems), "none");
  ASSERT_EQ(Problems.size(), 1u);
  EXPECT_EQ(Problems[0].find("parameter 'mask'"), 0u);
}

TEST(Match, KeepsTheLaunchersTypes) {
  std::vector<std::string> Problems;
  auto B = match(*findOperator("relu"), {in("x", DType::F16), out("y", DType::F16), num("n", DType::I64)}, Problems);
  ASSERT_TRUE(B);
  EXPECT_EQ(B->typeOf(*B->Op->find("x")), DType::F16);
  EXPECT_EQ(B->find("n")->Type, DType::I64);
}
