#include "agent/chat/Chat.h"
#include <atomic>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <httplib.h>
#include <nlohmann/json.hpp>
#include <thread>
#include <sys/stat.h>
#include <unistd.h>

using namespace kcheck::agent;
using Json = nlohmann::json;
using Outcome = ChatReply::Outcome;

namespace {

const std::string Key = "sk-secret-0123456789";

/// An endpoint that speaks the real protocol and answers as a test wants.
class Endpoint {
public:
  using Handler = std::function<void(const httplib::Request &, httplib::Response &, unsigned Count)>;
  explicit Endpoint(Handler H) {
    Server.Post("/v1/chat/completions", [this, H = std::move(H)](const httplib::Request &Q, httplib::Response &R) {
      Bodies.push_back(Json::parse(Q.body, nullptr, false));
      Authorization = Q.get_header_value("Authorization");
      H(Q, R, ++Count);
    });
    Port = Server.bind_to_any_port("127.0.0.1");
    Thread = std::thread([this] { Server.listen_after_bind(); });
    while (!Server.is_running())
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  ~Endpoint() {
    Server.stop();
    Thread.join();
  }
  ChatOptions options() const {
    ChatOptions O;
    O.Url = "http://127.0.0.1:" + std::to_string(Port) + "/v1";
    O.Model = "test-model";
    O.Key = Key;
    O.Seconds = 5;
    O.MostWait = 1;
    return O;
  }
  std::vector<Json> Bodies;
  std::string Authorization;
  std::atomic<unsigned> Count = 0;

private:
  httplib::Server Server;
  std::thread Thread;
  int Port = 0;
};

std::string completion(const std::string &Text, const char *Finish = "stop") {
  return Json{{"id", "c1"}, {"object", "chat.completion"}, {"model", "test-model-2"},
              {"choices", {{{"index", 0}, {"message", {{"role", "assistant"}, {"content", Text}}}, {"finish_reason", Finish}}}},
              {"usage", {{"prompt_tokens", 100}, {"completion_tokens", 20}, {"total_tokens", 120}}}}
      .dump();
}
Endpoint::Handler always(int Status, std::string Body) {
  return [=](const httplib::Request &, httplib::Response &R, unsigned) {
    R.status = Status;
    R.set_content(Body, "application/json");
  };
}
ChatReply ask(Chat &C) { return C.ask({{"system", "be brief"}, {"user", "hello"}}, true, 7); }

TEST(ChatTest, AsksInTheProtocolsForm) {
  Endpoint E(always(200, completion("hi")));
  Chat C(E.options());
  ChatReply R = ask(C);
  EXPECT_EQ(R.How, Outcome::Answered) << R.Why;
  EXPECT_EQ(R.Text, "hi");
  EXPECT_EQ(R.Model, "test-model-2");
  EXPECT_EQ(R.PromptTokens, 100u);
  EXPECT_EQ(R.ReplyTokens, 20u);
  EXPECT_EQ(C.tokens(), 120u);
  EXPECT_EQ(E.Authorization, "Bearer " + Key);
  const Json &B = E.Bodies.at(0);
  EXPECT_EQ(B["model"], "test-model");
  EXPECT_EQ(B["messages"][0]["role"], "system");
  EXPECT_EQ(B["messages"][1]["content"], "hello");
  EXPECT_EQ(B["response_format"]["type"], "json_object");
  EXPECT_EQ(B["seed"], 7);
  EXPECT_GT(B["max_tokens"].get<int>(), 0);
}

TEST(ChatTest, TriesAgainWhenToldTo) {
  Endpoint E([](const httplib::Request &, httplib::Response &R, unsigned Count) {
    R.status = Count == 1 ? 429 : Count == 2 ? 500 : 200;
    if (Count == 1)
      R.set_header("Retry-After", "1");
    R.set_content(Count < 3 ? R"({"error":{"message":"busy"}})" : completion("at last"), "application/json");
  });
  Chat C(E.options());
  auto Start = std::chrono::steady_clock::now();
  ChatReply R = ask(C);
  EXPECT_EQ(R.Text, "at last");
  EXPECT_EQ(R.Tries, 3u);
  EXPECT_GE(std::chrono::duration<double>(std::chrono::steady_clock::now() - Start).count(), 0.9);
}

TEST(ChatTest, GivesUpAfterItsTries) {
  Endpoint E(always(503, R"({"error":{"message":"down for repair"}})"));
  ChatOptions O = E.options();
  O.Tries = 2;
  O.MostWait = 0.05;
  Chat C(O);
  ChatReply R = ask(C);
  EXPECT_EQ(R.How, Outcome::Unreachable);
  EXPECT_NE(R.Why.find("down for repair"), std::string::npos);
  EXPECT_EQ(E.Count, 2u);
}

TEST(ChatTest, NeverShowsTheKey) {
  for (int Status : {200, 401, 500}) {
    Endpoint E(always(Status, Status == 200 ? completion("your key is " + Key) : R"({"error":{"message":"wrong key )" + Key + "\"}}"));
    ChatOptions O = E.options();
    O.Tries = 1;
    Chat C(O);
    ChatReply R = ask(C);
    EXPECT_EQ((R.Text + R.Why + R.Model).find(Key), std::string::npos) << R.Why;
    EXPECT_NE((R.Text + R.Why).find("[key]"), std::string::npos) << R.Text << R.Why;
    if (Status == 401)
      EXPECT_EQ(R.How, Outcome::Refused);
  }
}

TEST(ChatTest, LeavesOutWhatTheEndpointDoesNotTake) {
  Endpoint E([](const httplib::Request &Q, httplib::Response &R, unsigned) {
    Json B = Json::parse(Q.body);
    R.status = 400;
    if (B.contains("response_format"))
      R.set_content(R"({"error":{"message":"response_format is not supported"}})", "application/json");
    else if (B.contains("max_tokens"))
      R.set_content(R"({"error":{"message":"Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."}})", "application/json");
    else {
      R.status = 200;
      R.set_content(completion("fine"), "application/json");
    }
  });
  Chat C(E.options());
  EXPECT_EQ(ask(C).Text, "fine");
  EXPECT_EQ(E.Count, 3u);
  EXPECT_TRUE(E.Bodies.back().contains("max_completion_tokens"));
  EXPECT_EQ(ask(C).Text, "fine");
  EXPECT_EQ(E.Count, 4u); // it remembers
}

TEST(ChatTest, ARealRefusalIsOne) {
  Endpoint E(always(400, R"({"error":{"message":"no such model"}})"));
  Chat C(E.options());
  ChatReply R = ask(C);
  EXPECT_EQ(R.How, Outcome::Refused);
  EXPECT_EQ(E.Count, 1u);
}

TEST(ChatTest, TimesOut) {
  Endpoint E([](const httplib::Request &, httplib::Response &R, unsigned) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    R.set_content(completion("late"), "application/json");
  });
  ChatOptions O = E.options();
  O.Seconds = 0.3;
  Chat C(O);
  ChatReply R = ask(C);
  EXPECT_EQ(R.How, Outcome::TimedOut) << R.Why;
}

TEST(ChatTest, GarbageIsGarbage) {
  for (std::string Body : {"", "<html>", "[]", "{}", R"({"choices":[]})", R"({"choices":[17]})", R"({"choices":[{"message":null}]})", R"({"choices":[{"message":{"content":""}}]})"}) {
    Endpoint E(always(200, Body));
    Chat C(E.options());
    ChatReply R = ask(C);
    EXPECT_EQ(R.How, Outcome::Garbage) << Body;
    EXPECT_FALSE(R.Why.empty());
  }
  Endpoint E(always(200, completion("half an ans", "length")));
  Chat C(E.options());
  EXPECT_TRUE(ask(C).CutShort);
}

TEST(ChatTest, NobodyThere) {
  ChatOptions O;
  O.Url = "http://127.0.0.1:1/v1";
  O.Model = "m";
  O.Tries = 1;
  Chat C(O);
  EXPECT_EQ(ask(C).How, Outcome::Unreachable);
}

TEST(ChatTest, StopsAtItsLimits) {
  Endpoint E(always(200, completion("hi")));
  ChatOptions O = E.options();
  O.ReplyTokens = 50;
  O.MostTokens = 150;
  Chat C(O);
  EXPECT_EQ(ask(C).How, Outcome::Answered);
  ChatReply R = ask(C);
  EXPECT_EQ(R.How, Outcome::Limit);
  EXPECT_NE(R.Why.find("150"), std::string::npos);
  O.MostTokens = 0;
  O.PromptPrice = 10;
  O.ReplyPrice = 100;
  O.MostCost = 0.007;
  Chat D(O);
  R = ask(D);
  EXPECT_NEAR(R.Cost, (100 * 10 + 20 * 100) / 1e6, 1e-9);
  EXPECT_EQ(ask(D).How, Outcome::Limit);
  EXPECT_EQ(E.Count, 2u);
}

/// The variables and the file of one test.
class ChatOptionsTest : public ::testing::Test {
protected:
  void SetUp() override {
    char Pattern[] = "/tmp/kcheck-chat-XXXXXX";
    Home = ::mkdtemp(Pattern);
    for (const char *V : {"KCHECK_LLM_URL", "KCHECK_LLM_MODEL", "KCHECK_LLM_KEY", "KCHECK_LLM_PROMPT_PRICE", "KCHECK_LLM_REPLY_PRICE"})
      ::unsetenv(V);
    ::setenv("XDG_CONFIG_HOME", Home.c_str(), 1);
  }
  void TearDown() override { std::filesystem::remove_all(Home); }
  void config(const std::string &Text, mode_t Mode = 0600) {
    std::filesystem::create_directories(Home + "/kcheck");
    std::ofstream(Home + "/kcheck/llm.json") << Text;
    ::chmod((Home + "/kcheck/llm.json").c_str(), Mode);
  }
  std::string Home, Error;
  ChatOptions O;
};

TEST_F(ChatOptionsTest, NeedsAUrlAndAModel) {
  EXPECT_FALSE(completeChatOptions(O, "", Error));
  EXPECT_NE(Error.find("KCHECK_LLM_URL"), std::string::npos);
}

TEST_F(ChatOptionsTest, TheEnvironmentStandsOverTheFile) {
  config(R"({"url": "https://a.example/v1", "model": "m1", "key": "k-file", "prompt_price": 2})");
  ::setenv("KCHECK_LLM_MODEL", "m2", 1);
  ::setenv("KCHECK_LLM_KEY", "k-env\n", 1);
  ASSERT_TRUE(completeChatOptions(O, "", Error)) << Error;
  EXPECT_EQ(O.Url, "https://a.example/v1");
  EXPECT_EQ(O.Model, "m2");
  EXPECT_EQ(O.Key, "k-env");
  EXPECT_EQ(O.PromptPrice, 2);
}

TEST_F(ChatOptionsTest, SaysWhatIsWrongWithTheFile) {
  config(R"({"uri": "x"})");
  EXPECT_FALSE(completeChatOptions(O, "", Error));
  EXPECT_NE(Error.find("'uri'"), std::string::npos);
  config("garbage");
  EXPECT_FALSE(completeChatOptions(O, "", Error));
  config(R"({"url": "https://a.example", "model": "m", "key": "k-file"})", 0644);
  EXPECT_FALSE(completeChatOptions(O, "", Error));
  EXPECT_NE(Error.find("chmod"), std::string::npos);
  EXPECT_EQ(Error.find("k-file"), std::string::npos);
}

TEST_F(ChatOptionsTest, SendsNoKeyInTheOpen) {
  O.Url = "http://far.example/v1";
  O.Model = "m";
  ChatOptions Keyed = O;
  Keyed.Key = "k";
  EXPECT_TRUE(completeChatOptions(O, "", Error)) << Error;
  EXPECT_FALSE(completeChatOptions(Keyed, "", Error));
  EXPECT_NE(Error.find("https"), std::string::npos);
  Error.clear();
  EXPECT_FALSE(completeChatOptions(O, "KCHECK_TEST_NO_SUCH_VARIABLE", Error));
}

} // namespace
