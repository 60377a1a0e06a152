#include "analyzers/engine/Policy.h"
#include "analyzers/engine/PolicyTree.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <gtest/gtest.h>

using namespace kcheck;

static std::string errorOf(llvm::StringRef Yaml) {
  llvm::Expected<Policy> P = Policy::parse("p.yaml", Yaml, Policy::builtin());
  return P ? std::string() : llvm::toString(P.takeError());
}

static Policy good(llvm::StringRef Yaml) {
  llvm::Expected<Policy> P = Policy::parse("p.yaml", Yaml, Policy::builtin());
  if (!P) {
    ADD_FAILURE() << llvm::toString(P.takeError());
    return Policy::builtin();
  }
  return *P;
}

TEST(Policy, SeverityByCertainty) {
  const Policy &B = Policy::builtin();
  EXPECT_EQ(B.severity("kcheck-sync", "barrier_divergence", Certainty::Proven), Severity::Reject);
  EXPECT_LE(B.severity("kcheck-sync", "barrier_divergence", Certainty::Doubt), Severity::Review);
  Policy P = good("kcheck: 1\nrules: {kcheck-sync: {tags: {barrier_divergence: {proven: note, doubt: off}}}}\n");
  EXPECT_EQ(P.severity("kcheck-sync", "barrier_divergence", Certainty::Proven), Severity::Note);
  EXPECT_EQ(P.severity("kcheck-sync", "barrier_divergence", Certainty::Doubt), Severity::Off);
  // Neighbours keep their weight.
  EXPECT_EQ(P.severity("kcheck-sync", "missing_barrier", Certainty::Proven),
            B.severity("kcheck-sync", "missing_barrier", Certainty::Proven));
}

TEST(Policy, OffIsNoBoolean) {
  Policy P = good("kcheck: 1\nrules: {kcheck-api: {tags: {device_printf: off}}}\n");
  EXPECT_EQ(P.severity("kcheck-api", "device_printf", Certainty::Proven), Severity::Off);
}

TEST(Policy, ErrorsHavePlaceAndNearestName) {
  EXPECT_EQ(errorOf("kcheck: 1\nrules:\n  kcheck-sink: {enabled: false}\n"),
            "p.yaml:3:3: unknown rule 'kcheck-sink'; did you mean 'kcheck-sync'?");
  EXPECT_EQ(errorOf("kcheck: 1\nrules:\n  kcheck-sync:\n    tags: {barier_divergence: note}\n"),
            "p.yaml:4:12: unknown tag of kcheck-sync 'barier_divergence'; did you mean 'barrier_divergence'?");
  EXPECT_EQ(errorOf("kcheck: 1\nrules:\n  kcheck-sync:\n    tags: {barrier_divergence: rejct}\n"),
            "p.yaml:4:32: 'rejct' is no severity; did you mean 'reject'?");
  EXPECT_EQ(errorOf("kcheck: 1\nrules: {kcheck-sync: {tags: {barrier_divergence: {doubt: reject}}}}\n"),
            "p.yaml:2:58: a doubt weighs at most 'review'");
  EXPECT_EQ(errorOf("kcheck: 1\nrules: {kcheck-sync: {enabled: yes}}\n"),
            "p.yaml:2:32: 'enabled' is true or false, not 'yes'");
  EXPECT_EQ(errorOf("kcheck: 1\nrulez: {}\n"), "p.yaml:2:1: unknown key 'rulez'; did you mean 'rules'?");
  EXPECT_EQ(errorOf("kcheck: 2\n"), "p.yaml:1:9: policy version '2' is not known; this kcheck reads 'kcheck: 1'");
  EXPECT_EQ(errorOf("kcheck: 1\nkcheck: 1\n"), "p.yaml:2:1: 'kcheck' stands here twice");
}

TEST(Policy, SeveralErrorsAtOnce) {
  std::string E = errorOf("kcheck: 1\nrulez: {}\nlaunch: {block: 0}\n");
  EXPECT_NE(E.find("p.yaml:2:1:"), std::string::npos);
  EXPECT_NE(E.find("p.yaml:3:17: 'block' is one to three positive numbers"), std::string::npos);
}

TEST(Policy, HostileFiles) {
  EXPECT_NE(errorOf("kcheck: 1\nrules: [").find("not YAML"), std::string::npos);
  EXPECT_NE(errorOf("").find("a policy is a map"), std::string::npos);
  EXPECT_NE(errorOf("- a\n- b\n").find("a policy is a map"), std::string::npos);
  EXPECT_NE(errorOf("kcheck: 1\n---\nkcheck: 1\n").find("more than one document"), std::string::npos);
  EXPECT_FALSE(errorOf(std::string(20000, '[')).empty());
  EXPECT_NE(errorOf(std::string(2 << 20, '#')).find("over 1 MB"), std::string::npos);
  // Nested aliases: ten levels of ten.
  std::string Bomb = "kcheck: 1\nexempt: &a [{path: x}]\n";
  EXPECT_EQ(errorOf(Bomb), "");
  std::string Laughs = "kcheck: 1\nx0: &x0 [a, a, a, a, a, a, a, a, a, a]\n";
  for (int I = 1; I < 10; ++I) {
    Laughs += "x" + std::to_string(I) + ": &x" + std::to_string(I) + " [";
    for (int J = 0; J < 10; ++J)
      Laughs += "*x" + std::to_string(I - 1) + (J < 9 ? ", " : "]\n");
  }
  EXPECT_NE(errorOf(Laughs).find("unknown key 'x0'"), std::string::npos);
}

TEST(Policy, LaunchIsThreeNumbers) {
  Policy P = good("kcheck: 1\nlaunch: {block: [32, 8], grid: 4}\n");
  const llvm::json::Value *B = P.table({"launch", "block"});
  ASSERT_TRUE(B && B->getAsArray());
  EXPECT_EQ(*B, (llvm::json::Value(llvm::json::Array{32, 8, 1})));
  EXPECT_EQ(*P.table({"launch", "grid"}), (llvm::json::Value(llvm::json::Array{4, 1, 1})));
}

TEST(Policy, Exemptions) {
  Policy P = good("kcheck: 1\nexempt: [{path: 'third_party/**'}, {path: '*_gen.cu', rules: [kcheck-perf]}]\n");
  EXPECT_FALSE(P.exemption("/x/third_party/a/b.cu", "kcheck-sync", "missing_barrier").empty());
  EXPECT_TRUE(P.exemption("/x/third_partying/b.cu", "kcheck-sync", "missing_barrier").empty());
  EXPECT_FALSE(P.exemption("/x/k_gen.cu", "kcheck-perf", "scalar_access").empty());
  EXPECT_TRUE(P.exemption("/x/k_gen.cu", "kcheck-sync", "missing_barrier").empty());
  EXPECT_NE(errorOf("kcheck: 1\nexempt: [{path: a, rules: [kcheck-pref]}]\n").find("did you mean 'kcheck-perf'?"), std::string::npos);
}

TEST(Policy, Select) {
  auto Level = [](llvm::StringRef List, llvm::StringRef Rule, llvm::StringRef Tag) {
    Policy P = Policy::builtin();
    EXPECT_FALSE(bool(P.select(List)));
    return P.enabled(Rule) ? P.severity(Rule, Tag, Certainty::Proven) : Severity::Off;
  };
  EXPECT_EQ(Level("kcheck-sync", "kcheck-sync", "missing_barrier"), Severity::Reject);
  EXPECT_EQ(Level("kcheck-sync", "kcheck-perf", "scalar_access"), Severity::Off);
  EXPECT_EQ(Level("-kcheck-perf", "kcheck-sync", "missing_barrier"), Severity::Reject);
  EXPECT_EQ(Level("-kcheck-perf", "kcheck-perf", "scalar_access"), Severity::Off);
  EXPECT_EQ(Level("kcheck-sync,-missing_barrier", "kcheck-sync", "missing_barrier"), Severity::Off);
  EXPECT_EQ(Level("kcheck-sync-missing-barrier*", "kcheck-sync", "missing_barrier_war"), Severity::Reject);
  EXPECT_EQ(Level("kcheck-*", "kcheck-perf", "scalar_access"), Severity::Review);
  Policy P = Policy::builtin();
  EXPECT_EQ(llvm::toString(P.select("kcheck-snyc")), "'kcheck-snyc' names no rule, tag or check; did you mean 'kcheck-sync'?");
}

TEST(PolicyTree, FolderOverridesFolderAbove) {
  llvm::SmallString<128> Root;
  ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("kcheck-policy", Root));
  auto Write = [&](std::string Dir, llvm::StringRef Text) {
    std::error_code EC = llvm::sys::fs::create_directories(Root + Dir);
    ASSERT_FALSE(EC);
    llvm::raw_fd_ostream OS((Root + Dir + "/.kcheck.yaml").str(), EC);
    OS << Text;
  };
  Write("", "kcheck: 1\nroot: true\nrules: {kcheck-api: {tags: {device_printf: reject, device_malloc: note}}}\n");
  Write("/a/b", "kcheck: 1\nrules: {kcheck-api: {tags: {device_printf: off}}}\n");
  Write("/bad", "kcheck: 1\nrulez: {}\n");
  PolicyTree T(Policy::builtin(), true);
  auto Level = [&](std::string File, llvm::StringRef Tag) {
    auto P = T.forFile((Root + File).str());
    EXPECT_TRUE(bool(P));
    return P ? (*P)->severity("kcheck-api", Tag, Certainty::Proven) : Severity::Off;
  };
  EXPECT_EQ(Level("/k.cu", "device_printf"), Severity::Reject);
  EXPECT_EQ(Level("/a/b/k.cu", "device_printf"), Severity::Off);
  EXPECT_EQ(Level("/a/b/k.cu", "device_malloc"), Severity::Note);
  auto Bad = T.forFile((Root + "/bad/k.cu").str());
  ASSERT_FALSE(bool(Bad));
  EXPECT_NE(llvm::toString(Bad.takeError()).find("/bad/.kcheck.yaml:2:1: unknown key 'rulez'"), std::string::npos);
  PolicyTree Off(Policy::builtin(), false);
  EXPECT_EQ(*Off.forFile((Root + "/a/b/k.cu").str()), &Policy::builtin());
  llvm::sys::fs::remove_directories(Root);
}
