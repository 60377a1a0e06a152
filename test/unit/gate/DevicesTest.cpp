#include "gate/dynamic/Cheats.h"
#include "gate/dynamic/Combine.h"
#include "gate/dynamic/Devices.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace kcheck;
using namespace kcheck::gate;

namespace {

std::vector<std::string> words(llvm::StringRef List, std::string &Error) {
  auto W = deviceWords(List);
  Error = W ? "" : llvm::toString(W.takeError());
  return W ? *W : std::vector<std::string>();
}

TEST(DeviceWords, AListOfDevices) {
  std::string Error;
  EXPECT_EQ(words("gpu:0, https://host:8471", Error), (std::vector<std::string>{"gpu:0", "https://host:8471"}));
  EXPECT_EQ(words("gpu:all", Error), std::vector<std::string>{"gpu:all"});
  EXPECT_EQ(words("none", Error), std::vector<std::string>{"none"});
}

TEST(DeviceWords, ErrorsNameTheWord) {
  std::string Error;
  for (auto [List, Part] : {std::pair("gpu:x", "gpu:x"), {"sim,,gpu", "neither"}, {"sim,none", "none stands alone"}, {"gpu,gpu", "gpu is there twice"}, {"ftp://host", "ftp://host"}}) {
    EXPECT_TRUE(words(List, Error).empty()) << List;
    EXPECT_NE(Error.find(Part), std::string::npos) << Error;
  }
}

FileReport on(const char *Device, std::optional<Verdict> V, double Ratio = 0) {
  FileReport F;
  F.Dynamic.Device = Device;
  F.Dynamic.Result = V;
  F.Dynamic.State = V ? "done" : "not_run";
  F.Dynamic.Why = V ? "" : "nobody answers";
  if (V)
    F.Result = *V;
  if (Ratio > 0)
    F.Dynamic.Sections["perf"] = llvm::json::Object{{"ratio", llvm::json::Object{{"value", Ratio}}}};
  return F;
}

TEST(Combine, TheWorstVerdictAndEachOfThem) {
  FileReport F = combine({on("a", Verdict::Pass), on("b", Verdict::Reject), on("c", Verdict::Review)});
  EXPECT_EQ(F.Result, Verdict::Reject);
  EXPECT_EQ(F.Dynamic.Device, "b");
  const llvm::json::Array *All = F.Dynamic.Sections.getArray("devices");
  ASSERT_TRUE(All && All->size() == 3);
  EXPECT_EQ((*All)[2].getAsObject()->getString("verdict"), "REVIEW");
  ASSERT_EQ(F.Dynamic.Lines.size(), 3u);
  EXPECT_EQ(F.Dynamic.Lines[0].Kind, Mark::Ok);
  EXPECT_EQ(F.Dynamic.Lines[1].Kind, Mark::Reject);
  EXPECT_EQ(F.Dynamic.Sections.getObject("score"), nullptr) << "nothing was timed";
}

TEST(Combine, NoVerdictIsWorseThanAPassAndBetterThanAFault) {
  EXPECT_EQ(combine({on("a", Verdict::Pass), on("b", std::nullopt)}).Dynamic.Device, "b");
  EXPECT_EQ(combine({on("a", std::nullopt), on("b", Verdict::Reject)}).Dynamic.Device, "b");
}

TEST(Combine, ScoreIsWorstAndGeometricMean) {
  FileReport F = combine({on("a", Verdict::Pass, 0.5), on("b", Verdict::Pass, 2.0), on("c", Verdict::Pass)});
  const llvm::json::Object *S = F.Dynamic.Sections.getObject("score");
  ASSERT_TRUE(S);
  EXPECT_DOUBLE_EQ(*S->getNumber("worst"), 0.5);
  EXPECT_EQ(S->getString("worst_device"), "b");
  EXPECT_NEAR(*S->getNumber("geometric_mean"), 1.0, 1e-12);
  EXPECT_EQ(S->getInteger("devices"), 2) << "what was not timed does not count";
}

CaseVerdict verdict(bool Pass, int64_t N) {
  CaseVerdict V;
  V.Case.Sizes = {{"n", N}};
  if (!Pass)
    V.Tag = "wrong_result";
  return V;
}

TEST(Cheats, ALaunchThatIsRefusedAtSomeSizes) {
  EXPECT_FALSE(signOfRefusal({{"n", 100}}, {})) << "refused at the first size: a mistake, not a sign";
  EXPECT_FALSE(signOfRefusal({{"n", 100}}, {verdict(false, 1)}));
  auto S = signOfRefusal({{"n", 100000}}, {verdict(true, 64)});
  ASSERT_TRUE(S);
  EXPECT_EQ(S->Tag, "cheat_launch_failure");
  EXPECT_NE(S->Message.find("100000"), std::string::npos);
}

TEST(Cheats, NanEverywhere) {
  CaseVerdict V;
  V.Tag = "nan_inf";
  OutputVerdict O;
  O.Name = "out";
  O.Result.Elements = O.Result.Wrong = O.Result.Got.Nan = O.Result.Got.Count = 100;
  O.Result.Want.Count = 100;
  V.Outputs = {O};
  auto S = signOf(V);
  ASSERT_TRUE(S);
  EXPECT_EQ(S->Tag, "cheat_nan_wildcard");
  V.Outputs[0].Result.Got.Nan = 99;
  EXPECT_FALSE(signOf(V)) << "a single number is enough for a mistake";
  V.Outputs[0].Result.Got.Nan = 100;
  V.Outputs[0].Result.Unwritten = 3;
  EXPECT_FALSE(signOf(V)) << "poison is NaN too";
}

} // namespace
