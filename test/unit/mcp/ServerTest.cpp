#include "agent/mcp/Server.h"
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace kcheck::mcp;

namespace {

const char *Anything = R"({"type":"object"})";

Tool tool(const std::string &Name, std::function<Answer(const std::string &, const Report &)> Run) { return {Name, Name, Name, Anything, Anything, std::move(Run)}; }

/// A server in a process of its own, spoken to over pipes.
class Peer {
public:
  explicit Peer(std::vector<Tool> Tools, ServerOptions O = {}) {
    int In[2], Out[2];
    EXPECT_EQ(::pipe2(In, O_CLOEXEC), 0);
    EXPECT_EQ(::pipe2(Out, O_CLOEXEC), 0);
    Pid = ::fork();
    if (Pid == 0) {
      ::close(In[1]);
      ::close(Out[0]);
      O.In = In[0];
      O.Out = Out[1];
      ::_exit(serve(std::move(Tools), {"t", "t", "1", ""}, O));
    }
    ::close(In[0]);
    ::close(Out[1]);
    To = In[1];
    From = Out[0];
    say(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}})");
    EXPECT_EQ(hear()["id"], 0);
  }
  ~Peer() {
    if (Pid > 0) {
      ::kill(Pid, SIGKILL);
      ::waitpid(Pid, nullptr, 0);
    }
    hangUp();
    ::close(From);
  }
  void say(const std::string &Line) { EXPECT_EQ(::write(To, (Line + "\n").data(), Line.size() + 1), ssize_t(Line.size() + 1)); }
  void call(int Id, const std::string &Name) {
    say(R"({"jsonrpc":"2.0","id":)" + std::to_string(Id) + R"(,"method":"tools/call","params":{"name":")" + Name + R"(","_meta":{"progressToken":)" + std::to_string(Id) + "}}}");
  }
  /// The next message; null at the end, or when none comes within the time.
  Json hear(double Seconds = 20) {
    auto End = std::chrono::steady_clock::now() + std::chrono::duration<double>(Seconds);
    for (;;) {
      if (size_t At = Pending.find('\n'); At != std::string::npos) {
        Json M = Json::parse(Pending.substr(0, At));
        Pending.erase(0, At + 1);
        return M;
      }
      pollfd F{From, POLLIN, 0};
      double Left = std::chrono::duration<double>(End - std::chrono::steady_clock::now()).count();
      char Bytes[4096];
      ssize_t N = Left > 0 && ::poll(&F, 1, int(Left * 1000)) > 0 ? ::read(From, Bytes, sizeof Bytes) : 0;
      if (N <= 0)
        return Json();
      Pending.append(Bytes, size_t(N));
    }
  }
  /// Skips progress.
  Json answer() {
    Json M = hear();
    while (M.is_object() && M.contains("method"))
      M = hear();
    return M;
  }
  void hangUp() {
    if (To >= 0)
      ::close(std::exchange(To, -1));
  }
  int exitStatus() {
    int Status = -1;
    ::waitpid(std::exchange(Pid, -1), &Status, 0);
    return WIFEXITED(Status) ? WEXITSTATUS(Status) : 1000 + Status;
  }
  pid_t Pid = -1;

private:
  int To = -1, From = -1;
  std::string Pending;
};

Tool quick() {
  return tool("quick", [](const std::string &, const Report &P) {
    P("half way");
    return Answer{false, R"({"ok":true})"};
  });
}
Tool endless() {
  return tool("endless", [](const std::string &, const Report &P) {
    P(std::to_string(::getpid()) + " " + ::getenv("TMPDIR"));
    for (;;)
      ::pause();
    return Answer{};
  });
}

TEST(ServerTest, ReportsProgressThenTheAnswer) {
  Peer P({quick()});
  P.call(1, "quick");
  double Last = 0;
  bool Seen = false;
  Json M = P.hear();
  for (; M.contains("method"); M = P.hear()) {
    EXPECT_EQ(M["method"], "notifications/progress");
    EXPECT_EQ(M["params"]["progressToken"], 1);
    EXPECT_GT(M["params"]["progress"].get<double>(), Last);
    Last = M["params"]["progress"];
    Seen |= M["params"]["message"] == "half way";
  }
  EXPECT_TRUE(Seen);
  EXPECT_EQ(M["result"]["structuredContent"]["ok"], true);
}

TEST(ServerTest, ACancelledCallStopsAndIsNotAnswered) {
  Peer P({quick(), endless()});
  P.call(1, "endless");
  P.hear(); // started
  std::string Said = P.hear()["params"]["message"];
  pid_t Worker = std::stoi(Said);
  std::string Folder = Said.substr(Said.find(' ') + 1);
  EXPECT_TRUE(std::filesystem::exists(Folder));
  P.say(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
  P.call(2, "quick");
  EXPECT_EQ(P.answer()["id"], 2);
  EXPECT_EQ(::kill(Worker, 0), -1);
  EXPECT_FALSE(std::filesystem::exists(Folder));
  EXPECT_TRUE(P.hear(0.5).is_null());
}

TEST(ServerTest, ACrashCostsOneCall) {
  Peer P({quick(), tool("crash", [](const std::string &, const Report &) {
            ::raise(SIGSEGV);
            return Answer{};
          }),
          tool("throw", [](const std::string &, const Report &) -> Answer { throw std::runtime_error("oops"); }),
          tool("noise", [](const std::string &, const Report &) {
            (void)!::write(1, "not for stdout\n", 15);
            return Answer{false, "{}"};
          })});
  P.call(1, "crash");
  EXPECT_EQ(P.answer()["result"]["isError"], true);
  P.call(2, "throw");
  EXPECT_NE(P.answer()["result"]["content"][0]["text"].get<std::string>().find("oops"), std::string::npos);
  P.call(3, "noise");
  EXPECT_EQ(P.answer()["result"]["isError"], false);
  P.call(4, "quick");
  EXPECT_EQ(P.answer()["result"]["isError"], false);
}

TEST(ServerTest, ACallThatTakesTooLongIsEnded) {
  ServerOptions O;
  O.CallSeconds = 1;
  Peer P({endless()}, O);
  P.call(1, "endless");
  Json M = P.answer();
  EXPECT_EQ(M["result"]["isError"], true);
  EXPECT_NE(M["result"]["content"][0]["text"].get<std::string>().find("more than 1 s"), std::string::npos);
}

TEST(ServerTest, TheEndOfInputAnswersWhatWasAsked) {
  Peer P({quick()});
  P.call(1, "quick");
  P.hangUp();
  EXPECT_EQ(P.answer()["id"], 1);
  EXPECT_EQ(P.exitStatus(), 0);
}

TEST(ServerTest, TheEndOfInputDoesNotWaitForever) {
  ServerOptions O;
  O.GraceSeconds = 0.5;
  Peer P({endless()}, O);
  P.call(1, "endless");
  P.hear();
  pid_t Worker = std::stoi(P.hear()["params"]["message"].get<std::string>());
  P.hangUp();
  EXPECT_EQ(P.exitStatus(), 0);
  EXPECT_EQ(::kill(Worker, 0), -1);
}

TEST(ServerTest, ASignalEndsCallsToo) {
  Peer P({endless()});
  P.call(1, "endless");
  P.hear();
  pid_t Worker = std::stoi(P.hear()["params"]["message"].get<std::string>());
  ::kill(P.Pid, SIGTERM);
  EXPECT_EQ(P.exitStatus(), 0);
  EXPECT_EQ(::kill(Worker, 0), -1);
}

TEST(ServerTest, MoreCallsThanItRunsWaitAndMoreThanThatAreRefused) {
  ServerOptions O;
  O.Calls = 1;
  O.Waiting = 1;
  Peer P({quick(), endless()}, O);
  P.call(1, "endless");
  P.hear();
  P.hear();
  P.call(2, "quick");
  P.call(3, "quick");
  Json Refused = P.answer();
  EXPECT_EQ(Refused["id"], 3);
  EXPECT_EQ(Refused["result"]["isError"], true);
  P.say(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})");
  EXPECT_EQ(P.answer()["id"], 2);
}

} // namespace
