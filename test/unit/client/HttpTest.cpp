// HTTP against a server of a few lines that answers by script.
#include "runner/client/Http.h"
#include <arpa/inet.h>
#include <atomic>
#include <gtest/gtest.h>
#include <mutex>
#include <netinet/in.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

using namespace kcheck::client;
using Outcome = HttpResponse::Outcome;

namespace {

/// Answers the connections one after another, each with the next text, and keeps what it was sent.
class Server {
public:
  explicit Server(std::vector<std::string> Answers) : Answers(std::move(Answers)) {
    FD = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in A{};
    A.sin_family = AF_INET;
    A.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t Size = sizeof A;
    Bound = bind(FD, reinterpret_cast<sockaddr *>(&A), Size) == 0 && listen(FD, 8) == 0 && getsockname(FD, reinterpret_cast<sockaddr *>(&A), &Size) == 0;
    Port = ntohs(A.sin_port);
    Loop = std::thread([this] { run(); });
  }
  ~Server() {
    Stop = true;
    shutdown(FD, SHUT_RDWR);
    Loop.join();
    close(FD);
  }
  std::string url(const std::string &Path = "/") const { return "http://127.0.0.1:" + std::to_string(Port) + Path; }
  std::string seen() {
    std::lock_guard Guard(Lock);
    return Seen;
  }
  std::atomic<unsigned> Served = 0;
  bool Bound = false;

private:
  void run() {
    for (const std::string &Text : Answers) {
      int C = accept(FD, nullptr, nullptr);
      if (C < 0)
        return;
      char Buffer[65536];
      ssize_t N = read(C, Buffer, sizeof Buffer);
      {
        std::lock_guard Guard(Lock);
        Seen += std::string(Buffer, size_t(std::max<ssize_t>(N, 0)));
      }
      ++Served;
      if (Text == "hang")
        while (!Stop)
          usleep(1000);
      (void)!write(C, Text.data(), Text.size());
      close(C);
    }
  }
  std::vector<std::string> Answers;
  int FD = -1, Port = 0;
  std::thread Loop;
  std::mutex Lock;
  std::string Seen;
  std::atomic<bool> Stop = false;
};

std::string answer(const char *Status, const std::string &Body, const std::string &More = "") {
  return std::string("HTTP/1.1 ") + Status + "\r\nContent-Length: " + std::to_string(Body.size()) + "\r\nConnection: close\r\n" + More + "\r\n" + Body;
}

HttpRequest to(const std::string &Url) {
  HttpRequest R;
  R.Url = Url;
  R.Seconds = 10;
  return R;
}

const RetryPolicy Quick{.Tries = 3, .FirstSeconds = 0.01, .MostSeconds = 0.05};

} // namespace

TEST(Http, PostsAndReads) {
  Server S({answer("200 OK", "fine", "X-Kind: a b \r\n")});
  ASSERT_TRUE(S.Bound);
  HttpRequest R = to(S.url("/v1"));
  R.Method = "POST";
  R.Body = "{\"a\":1}";
  R.Token = "secret";
  R.Headers = {"Content-Type: application/json"};
  HttpResponse A = HttpClient().send(R);
  EXPECT_TRUE(A.ok()) << A.Why;
  EXPECT_EQ(A.Body, "fine");
  EXPECT_EQ(A.Headers["x-kind"], "a b");
  std::string Seen = S.seen();
  EXPECT_EQ(Seen.find("POST /v1 HTTP/1.1\r\n"), 0u) << Seen;
  EXPECT_NE(Seen.find("Authorization: Bearer secret\r\n"), Seen.npos) << Seen;
  EXPECT_NE(Seen.find("Content-Type: application/json\r\n"), Seen.npos) << Seen;
  EXPECT_NE(Seen.find("{\"a\":1}"), Seen.npos) << Seen;
}

TEST(Http, SaysWhatTheServerSays) {
  Server S({answer("401 Unauthorized", "wrong token\nmore")});
  HttpResponse A = HttpClient().send(to(S.url()));
  EXPECT_EQ(A.How, Outcome::Answered);
  EXPECT_FALSE(A.ok());
  EXPECT_EQ(A.Why, "status 401: wrong token");
}

TEST(Http, NobodyThere) {
  HttpResponse A = HttpClient().sendWithRetries(to("http://127.0.0.1:1/"), Quick);
  EXPECT_EQ(A.How, Outcome::NoConnection);
  EXPECT_EQ(A.Tries, 3u);
  EXPECT_FALSE(A.Why.empty());
}

TEST(Http, TriesAgain) {
  Server S({answer("503 Busy", "", "Retry-After: 0\r\n"), "", answer("200 OK", "third")});
  HttpResponse A = HttpClient().sendWithRetries(to(S.url()), Quick);
  EXPECT_EQ(A.Body, "third") << A.Why;
  EXPECT_EQ(A.Tries, 3u);
}

TEST(Http, RefusalIsNotTriedAgain) {
  Server S({answer("403 Forbidden", "no"), answer("200 OK", "")});
  EXPECT_EQ(HttpClient().sendWithRetries(to(S.url()), Quick).Status, 403);
  EXPECT_EQ(S.Served, 1u);
}

TEST(Http, BodyHasALimit) {
  Server S({answer("200 OK", std::string(5000, 'x'))});
  HttpRequest R = to(S.url());
  R.MostBytes = 1000;
  HttpResponse A = HttpClient().send(R);
  EXPECT_EQ(A.How, Outcome::TooLarge);
  EXPECT_LE(A.Body.size(), 1000u);
}

TEST(Http, StreamsAndStops) {
  Server S({answer("200 OK", "one two"), answer("200 OK", "one two")});
  HttpRequest R = to(S.url());
  std::string Got;
  R.OnData = [&](std::string_view Part) { return (Got += Part, true); };
  EXPECT_TRUE(HttpClient().send(R).ok());
  EXPECT_EQ(Got, "one two");
  R.OnData = [](std::string_view) { return false; };
  EXPECT_EQ(HttpClient().send(R).How, Outcome::Cancelled);
}

TEST(Http, TimeAndCancel) {
  Server S({"hang"});
  HttpRequest R = to(S.url());
  R.Seconds = 0.3;
  EXPECT_EQ(HttpClient().send(R).How, Outcome::TimedOut);
  Server T({"hang"});
  R = to(T.url());
  R.Cancelled = [&] { return T.Served > 0; };
  HttpResponse A = HttpClient().send(R);
  EXPECT_EQ(A.How, Outcome::Cancelled);
  EXPECT_LT(A.Seconds, 5);
}

TEST(Http, RedirectsAreNotFollowed) {
  Server S({answer("302 Found", "", "Location: http://127.0.0.1:1/\r\n")});
  EXPECT_EQ(HttpClient().send(to(S.url())).Status, 302);
}

TEST(Http, Urls) {
  struct Case {
    const char *Text;
    bool Good;
    const char *Host;
    unsigned Port;
    bool Loopback;
  };
  for (const Case &C : {Case{"http://localhost:80", true, "localhost", 80, true}, {"HTTPS://Gpu.Example/x", true, "gpu.example", 443, false},
                        {"http://[::1]:9000/", true, "::1", 9000, true}, {"http://127.0.0.1:7/", true, "127.0.0.1", 7, true},
                        {"http://127.evil.example", true, "127.evil.example", 80, false}, {"ftp://a", false, "", 0, false},
                        {"http://", false, "", 0, false}, {"http://a:b@c/", false, "", 0, false}, {"http://a:99999", false, "", 0, false},
                        {"http://a:", false, "", 0, false}, {"file:///etc/passwd", false, "", 0, false}}) {
    Url U;
    std::string Why;
    EXPECT_EQ(parseUrl(C.Text, U, Why), C.Good) << C.Text;
    if (!C.Good) {
      EXPECT_FALSE(Why.empty()) << C.Text;
      continue;
    }
    EXPECT_EQ(U.Host, C.Host);
    EXPECT_EQ(U.Port, C.Port);
    EXPECT_EQ(U.loopback(), C.Loopback) << C.Text;
  }
}
