#include "agent/mcp/Dialog.h"
#include <gtest/gtest.h>

using namespace kcheck::mcp;

namespace {

struct FakeHost : Host {
  std::vector<Json> Sent, Cancelled;
  std::vector<CallRequest> Started;
  void send(const Json &M) override { Sent.push_back(M); }
  void start(CallRequest R) override { Started.push_back(std::move(R)); }
  void cancel(const Json &Id) override { Cancelled.push_back(Id); }
};

class DialogTest : public ::testing::Test {
protected:
  FakeHost H;
  Dialog D{{{"add", "Add", "adds", R"({"type":"object","additionalProperties":false,"required":["n"],"properties":{"n":{"type":"integer"}}})",
             R"({"type":"object"})", nullptr}},
           {"kcheck", "kcheck", "1.0", "be careful"},
           H};

  /// The single message that a line is answered with; null: none.
  Json ask(const Json &M) { return askText(M.dump()); }
  Json askText(const std::string &Text) {
    H.Sent.clear();
    D.line(Text, false);
    EXPECT_LE(H.Sent.size(), 1u);
    return H.Sent.empty() ? Json() : H.Sent[0];
  }
  static Json request(const Json &Id, const std::string &Method, Json Params = Json::object()) {
    return {{"jsonrpc", "2.0"}, {"id", Id}, {"method", Method}, {"params", std::move(Params)}};
  }
  static Json modern(Json Params = Json::object(), const std::string &Version = "2026-07-28") {
    Params["_meta"]["io.modelcontextprotocol/protocolVersion"] = Version;
    Params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = Json::object();
    return Params;
  }
  void open(const std::string &Version = "2025-11-25") {
    ask(request(0, "initialize", {{"protocolVersion", Version}, {"capabilities", Json::object()}, {"clientInfo", {{"name", "t"}, {"version", "1"}}}}));
  }
  static int code(const Json &M) { return M.contains("error") ? M["error"]["code"].get<int>() : 0; }
};

TEST_F(DialogTest, NegotiatesASessionVersion) {
  for (const std::string &V : sessionVersions()) {
    open(V);
    EXPECT_EQ(H.Sent[0]["result"]["protocolVersion"], V);
  }
  open("1999-01-01");
  EXPECT_EQ(H.Sent[0]["result"]["protocolVersion"], sessionVersions().front());
  EXPECT_TRUE(H.Sent[0]["result"]["capabilities"].contains("tools"));
}

TEST_F(DialogTest, RefusesRequestsOfNoVersionAtAll) {
  EXPECT_EQ(code(ask(request(1, "tools/list"))), InvalidParams);
  EXPECT_EQ(ask(request(2, "ping"))["result"], Json::object());
}

TEST_F(DialogTest, ServesStatelessRequestsWithoutASession) {
  Json R = ask(request("a", "server/discover", modern()))["result"];
  EXPECT_EQ(R["supportedVersions"], Json(statelessVersions()));
  EXPECT_EQ(R["resultType"], "complete");
  EXPECT_EQ(R["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "kcheck");
  Json L = ask(request("b", "tools/list", modern()))["result"];
  EXPECT_GE(L["ttlMs"], 0);
  EXPECT_EQ(L["cacheScope"], "public");
  EXPECT_EQ(L["tools"][0]["name"], "add");
  EXPECT_EQ(code(ask(request("c", "ping", modern()))), MethodNotFound);
}

TEST_F(DialogTest, NamesTheVersionsThatItKnows) {
  Json M = ask(request(1, "tools/list", modern(Json::object(), "1900-01-01")));
  EXPECT_EQ(code(M), UnsupportedVersion);
  EXPECT_EQ(M["error"]["data"]["requested"], "1900-01-01");
  EXPECT_EQ(M["error"]["data"]["supported"], Json(statelessVersions()));
  Json Params = modern();
  Params["_meta"].erase("io.modelcontextprotocol/clientCapabilities");
  EXPECT_EQ(code(ask(request(2, "tools/list", Params))), InvalidParams);
}

TEST_F(DialogTest, KeepsToWhatAnOldVersionKnows) {
  open("2024-11-05");
  Json T = ask(request(1, "tools/list"))["result"]["tools"][0];
  EXPECT_FALSE(T.contains("outputSchema"));
  EXPECT_FALSE(T.contains("annotations"));
  open("2025-06-18");
  T = ask(request(2, "tools/list"))["result"]["tools"][0];
  EXPECT_TRUE(T.contains("outputSchema"));
  EXPECT_TRUE(T["annotations"]["readOnlyHint"]);
}

TEST_F(DialogTest, AnswersCalls) {
  open();
  EXPECT_TRUE(ask(request(7, "tools/call", {{"name", "add"}, {"arguments", {{"n", 1}}}, {"_meta", {{"progressToken", "p"}}}})).is_null());
  ASSERT_EQ(H.Started.size(), 1u);
  EXPECT_EQ(H.Started[0].ProgressToken, "p");
  EXPECT_EQ(H.Started[0].Arguments, R"({"n":1})");
  D.finish(H.Started[0], {false, R"({"sum":2})"});
  ASSERT_EQ(H.Sent.size(), 1u);
  EXPECT_EQ(H.Sent[0]["id"], 7);
  EXPECT_EQ(H.Sent[0]["result"]["structuredContent"]["sum"], 2);
  EXPECT_EQ(Json::parse(H.Sent[0]["result"]["content"][0]["text"].get<std::string>())["sum"], 2);
  EXPECT_EQ(H.Sent[0]["result"]["isError"], false);
}

TEST_F(DialogTest, TellsAModelWhatIsWrongWithItsArguments) {
  open();
  Json M = ask(request(1, "tools/call", {{"name", "add"}, {"arguments", {{"m", 1}}}}));
  EXPECT_EQ(M["result"]["isError"], true);
  EXPECT_FALSE(M["result"].contains("structuredContent"));
  EXPECT_NE(M["result"]["content"][0]["text"].get<std::string>().find("'m'"), std::string::npos);
  EXPECT_EQ(ask(request(2, "tools/call", {{"name", "add"}}))["result"]["isError"], true);
  EXPECT_EQ(code(ask(request(3, "tools/call", {{"name", "sub"}}))), InvalidParams);
  EXPECT_EQ(code(ask(request(4, "tools/call", {{"name", "add"}, {"arguments", Json::array()}}))), InvalidParams);
  EXPECT_TRUE(H.Started.empty());
}

TEST_F(DialogTest, SaysNothingMoreOfACancelledCall) {
  open();
  ask(request("x", "tools/call", {{"name", "add"}, {"arguments", {{"n", 1}}}}));
  EXPECT_TRUE(ask({{"jsonrpc", "2.0"}, {"method", "notifications/cancelled"}, {"params", {{"requestId", "x"}, {"reason", "enough"}}}}).is_null());
  ASSERT_EQ(H.Cancelled.size(), 1u);
  EXPECT_EQ(H.Cancelled[0], "x");
  D.finish(H.Started[0], {false, "{}"});
  EXPECT_TRUE(H.Sent.empty());
  for (Json Odd : {Json({{"requestId", "x"}}), Json({{"requestId", {1, 2}}}), Json::array(), Json()})
    EXPECT_TRUE(ask({{"jsonrpc", "2.0"}, {"method", "notifications/cancelled"}, {"params", Odd}}).is_null());
  EXPECT_EQ(H.Cancelled.size(), 1u);
}

TEST_F(DialogTest, AnIdMayNotBeUsedTwiceAtATime) {
  open();
  ask(request(1, "tools/call", {{"name", "add"}, {"arguments", {{"n", 1}}}}));
  EXPECT_EQ(code(ask(request(1, "tools/call", {{"name", "add"}, {"arguments", {{"n", 1}}}}))), InvalidRequest);
  EXPECT_EQ(H.Started.size(), 1u);
}

TEST_F(DialogTest, AnswersWhatIsNoMessageWithAnError) {
  EXPECT_EQ(code(askText("garbage")), ParseError);
  EXPECT_EQ(code(askText(std::string(5000, '['))), ParseError);
  EXPECT_EQ(code(askText("17")), InvalidRequest);
  EXPECT_EQ(code(askText("[]")), InvalidRequest);
  EXPECT_EQ(code(askText(R"({"jsonrpc":"1.0","id":1,"method":"ping"})")), InvalidRequest);
  EXPECT_EQ(code(askText(R"({"jsonrpc":"2.0","id":null,"method":"ping"})")), InvalidRequest);
  EXPECT_EQ(code(askText(R"({"jsonrpc":"2.0","id":1.5,"method":"ping"})")), InvalidRequest);
  EXPECT_EQ(code(askText(R"({"jsonrpc":"2.0","id":{},"method":"ping"})")), InvalidRequest);
  EXPECT_EQ(code(askText(R"({"jsonrpc":"2.0","id":1,"method":4})")), InvalidRequest);
  EXPECT_EQ(code(askText(R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":[1]})")), InvalidParams);
  open();
  EXPECT_EQ(code(ask(request(1, "resources/list"))), MethodNotFound);
  EXPECT_EQ(code(ask(request(2, "tools/list", {{"cursor", "page2"}}))), InvalidParams);
  EXPECT_TRUE(askText(R"({"jsonrpc":"2.0","method":"no/such/notification"})").is_null());
  EXPECT_TRUE(askText(R"({"jsonrpc":"2.0","id":1,"result":{}})").is_null());
  H.Sent.clear();
  D.line("", true);
  EXPECT_EQ(code(H.Sent.at(0)), InvalidRequest);
  EXPECT_FALSE(H.Sent[0].contains("id"));
}

TEST_F(DialogTest, TakesBatchesWhereTheRevisionHadThem) {
  Json Batch = Json::array({request(1, "ping"), request(2, "ping")});
  open("2025-03-26");
  H.Sent.clear();
  D.line(Batch.dump(), false);
  EXPECT_EQ(H.Sent.size(), 2u);
  open("2025-06-18");
  EXPECT_EQ(code(ask(Batch)), InvalidRequest);
}

TEST_F(DialogTest, KeepsAStreamOpenUntilTheEnd) {
  Json Ack = ask(request("s", "subscriptions/listen", modern({{"notifications", {{"toolsListChanged", true}}}})));
  EXPECT_EQ(Ack["method"], "notifications/subscriptions/acknowledged");
  EXPECT_EQ(Ack["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], "s");
  EXPECT_EQ(Ack["params"]["notifications"], Json::object());
  H.Sent.clear();
  D.close();
  ASSERT_EQ(H.Sent.size(), 1u);
  EXPECT_EQ(H.Sent[0]["id"], "s");
}

} // namespace
