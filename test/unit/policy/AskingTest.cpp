#include "agent/policy/Asking.h"
#include <gtest/gtest.h>

using namespace kcheck::agent;

namespace {

struct NoBench : Workbench {
  std::vector<ActionDoc> actions() const override { return {}; }
  std::vector<Built> build(const std::vector<BuildRequest> &) override { return {}; }
  std::vector<Inspected> inspect(const std::vector<InspectRequest> &) override { return {}; }
  std::vector<RunResult> run(const std::vector<std::string> &, const std::function<void(size_t, const RunResult &)> &) override { return {}; }
  RunResult regress(const std::string &) override { return {}; }
};

Context context() {
  Context C;
  C.Operator = "copy";
  C.Source = "__global__ void k() {}\n";
  Parent P;
  P.Id = "start";
  P.Text = C.Source;
  C.Parents.push_back(P);
  C.Actions.push_back({"unroll", "unrolls", {{"factor", "2, 4"}}});
  C.Actions.push_back({"qualify", "qualifies", {}});
  return C;
}

/// Answers what a test laid out, one after another.
class Scripted : public AskingPolicy {
public:
  explicit Scripted(std::vector<Asked> A) : Answers(std::move(A)) {}
  std::string name() const override { return "scripted"; }
  std::vector<std::vector<ChatMessage>> Seen;

private:
  Asked ask(const std::vector<ChatMessage> &M, const PolicyRequest &) override {
    Seen.push_back(M);
    return Answers.at(Seen.size() - 1);
  }
  std::vector<Asked> Answers;
};

Proposal propose(AskingPolicy &P, unsigned Wanted = 4) {
  Context C = context();
  NoBench B;
  return P.propose({C, B, 1, Wanted, 7, 4000});
}

constexpr const char *Good = R"({"parent":"start","hypothesis":"latency","steps":[{"action":"unroll","set":{"factor":4}}]})";

std::string reply(std::initializer_list<std::string> Candidates) {
  std::string All;
  for (const std::string &C : Candidates)
    All += (All.empty() ? "" : ",") + C;
  return R"({"analysis":"memory bound","candidates":[)" + All + "]}";
}

TEST(AskingTest, TakesWhatIsRight) {
  Scripted P({{"Let me think {hm}.\n```json\n" + reply({Good, R"({"hypothesis":"x","steps":["qualify"]})"}) + "\n```", "", "", {}}});
  Proposal Out = propose(P);
  EXPECT_EQ(Out.Analysis, "memory bound");
  ASSERT_EQ(Out.Candidates.size(), 2u);
  EXPECT_EQ(Out.Candidates[0].Steps[0].Set.at("factor"), 4);
  EXPECT_TRUE(Out.Failures.empty());
  ASSERT_EQ(Out.Exchanges.size(), 1u);
  EXPECT_NE(Out.Exchanges[0].Prompt.find("__global__"), std::string::npos);
  EXPECT_EQ(P.Seen[0][0].Role, "system");
}

TEST(AskingTest, AsksOnceMoreForWhatIsWrong) {
  Scripted P({{reply({Good, R"({"hypothesis":"h","steps":[{"action":"warp-speed"}]})"}), "", "", {}},
              {reply({R"({"hypothesis":"h","steps":[{"action":"qualify"}]})"}), "", "", {}}});
  Proposal Out = propose(P);
  ASSERT_EQ(P.Seen.size(), 2u);
  EXPECT_NE(P.Seen[1].back().Text.find("'warp-speed'"), std::string::npos);
  EXPECT_NE(P.Seen[1].back().Text.find("unroll, qualify"), std::string::npos);
  EXPECT_EQ(Out.Candidates.size(), 2u);
  EXPECT_TRUE(Out.Failures.empty());
}

TEST(AskingTest, EachFaultThatStaysCostsACandidate) {
  std::string Bad = reply({R"({"hypothesis":"h","steps":[{"action":"unroll","set":{"speed":9}}]})", R"({"steps":["qualify"]})", R"({"hypothesis":"h","parent":"r9c9","steps":["qualify"]})", "17"});
  Scripted P({{Bad, "", "", {}}, {Bad, "", "", {}}});
  Proposal Out = propose(P);
  EXPECT_TRUE(Out.Candidates.empty());
  ASSERT_EQ(Out.Failures.size(), 4u);
  for (const PolicyFailure &F : Out.Failures)
    EXPECT_EQ(F.Type, "policy_garbage");
  EXPECT_NE(Out.Failures[0].Message.find("'speed'"), std::string::npos);
  EXPECT_NE(Out.Failures[1].Message.find("hypothesis"), std::string::npos);
  EXPECT_NE(Out.Failures[2].Message.find("'r9c9'"), std::string::npos);
}

TEST(AskingTest, GarbageCostsOneAndATimeoutToo) {
  for (std::string Text : {"", "I cannot help with that.", "{\"candidates\": \"none\"}", "{\"candidates\": []}", "[1,2"}) {
    Scripted P({{Text, "", "", {}}, {Text, "", "", {}}});
    Proposal Out = propose(P);
    EXPECT_TRUE(Out.Candidates.empty());
    ASSERT_EQ(Out.Failures.size(), 1u) << Text;
    EXPECT_EQ(Out.Failures[0].Type, "policy_garbage");
  }
  Scripted P({{"", "policy_timeout", "too slow", {}}});
  Proposal Out = propose(P);
  ASSERT_EQ(Out.Failures.size(), 1u);
  EXPECT_EQ(Out.Failures[0].Type, "policy_timeout");
  EXPECT_EQ(P.Seen.size(), 1u);
}

TEST(AskingTest, KeepsWhatIsGoodWhenTheRepairFails) {
  Scripted P({{reply({Good, "17"}), "", "", {}}, {"", "policy_timeout", "too slow", {}}});
  Proposal Out = propose(P);
  EXPECT_EQ(Out.Candidates.size(), 1u);
  EXPECT_FALSE(Out.Failures.empty());
}

TEST(AskingTest, TakesNoMoreThanWanted) {
  Scripted P({{reply({Good, R"({"hypothesis":"a","steps":["qualify"]})", R"({"hypothesis":"b","steps":["qualify","unroll"]})"}), "", "", {}}});
  EXPECT_EQ(propose(P, 2).Candidates.size(), 2u);
  Scripted Same({{reply({Good, Good}), "", "", {}}, {reply({}), "", "", {}}});
  EXPECT_EQ(propose(Same).Candidates.size(), 1u);
}

TEST(AskingTest, AnUnchangedSourceIsNoCandidate) {
  Context C = context();
  EXPECT_TRUE(readReply(R"({"candidates":[{"hypothesis":"h","source":"__global__ void k() {}\n"}]})", C, 4).Candidates.empty());
  EXPECT_EQ(readReply(R"({"candidates":[{"hypothesis":"h","source":"__global__ void k() { }\n"}]})", C, 4).Candidates.size(), 1u);
  EXPECT_TRUE(readReply(R"({"candidates":[{"hypothesis":"h","source":"x","steps":["qualify"]}]})", C, 4).Candidates.empty());
}

Proposal runCommand(const std::string &Line, double Seconds = 20) {
  PolicyOptions O;
  O.Name = "command";
  O.Command = Line;
  O.Seconds = Seconds;
  std::string Error;
  auto P = commandPolicy(O, Error);
  Context C = context();
  NoBench B;
  return P->propose({C, B, 3, 4, 7, 4000});
}

TEST(CommandPolicyTest, ReadsThePromptAndAnswers) {
  Proposal Out = runCommand("grep -q __global__ && test \"$KCHECK_ROUND\" = 3 && echo '" + reply({Good}) + "'");
  ASSERT_EQ(Out.Candidates.size(), 1u) << (Out.Failures.empty() ? "" : Out.Failures[0].Message);
  EXPECT_TRUE(Out.Failures.empty());
}

TEST(CommandPolicyTest, FailuresAreTyped) {
  Proposal Slow = runCommand("sleep 30", 0.5);
  ASSERT_EQ(Slow.Failures.size(), 1u);
  EXPECT_EQ(Slow.Failures[0].Type, "policy_timeout");
  Proposal Broken = runCommand("echo no luck >&2; exit 3");
  ASSERT_EQ(Broken.Failures.size(), 1u);
  EXPECT_EQ(Broken.Failures[0].Type, "policy_garbage");
  EXPECT_NE(Broken.Failures[0].Message.find("no luck"), std::string::npos);
  EXPECT_NE(Broken.Failures[0].Message.find("status 3"), std::string::npos);
  Proposal Flood = runCommand("yes");
  ASSERT_EQ(Flood.Failures.size(), 1u);
  Proposal Silent = runCommand("true");
  EXPECT_EQ(Silent.Failures.at(0).Type, "policy_garbage");
}

TEST(PolicyOptionsTest, SayWhatIsMissing) {
  std::string Error;
  EXPECT_FALSE(commandPolicy({}, Error));
  EXPECT_NE(Error.find("--command"), std::string::npos);
}

} // namespace
