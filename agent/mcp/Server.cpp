#include "agent/mcp/Server.h"
#include "agent/mcp/Call.h"
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <deque>
#include <list>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

using namespace kcheck::mcp;
using Clock = std::chrono::steady_clock;

namespace {

double since(Clock::time_point T) { return std::chrono::duration<double>(Clock::now() - T).count(); }

struct Running {
  CallRequest Request;
  std::unique_ptr<Call> Process;
  std::string Doing = "started";
  Clock::time_point Told = Clock::now();
  unsigned Steps = 0;
};

class Server final : public Host {
public:
  Server(std::vector<Tool> Tools, const ServerInfo &Info, const ServerOptions &O, int Signals)
      : O(O), Signals(Signals), D(std::move(Tools), Info, *this) {}

  int run() {
    while (!Over && !(Ended && Active.empty() && Queue.empty())) {
      if (Ended && since(EndedAt) > O.GraceSeconds)
        break;
      wait();
    }
    if (!Over)
      D.close();
    return Broken ? 2 : 0;
  }

  void send(const Json &Message) override {
    std::string Line = toLine(Message);
    for (size_t At = 0; At < Line.size() && !Over;) {
      ssize_t N = ::write(O.Out, Line.data() + At, Line.size() - At);
      if (N > 0)
        At += size_t(N);
      else if (N < 0 && errno != EINTR)
        Over = Broken = true; // the client is gone
    }
  }

  void start(CallRequest R) override {
    if (Queue.size() >= O.Waiting)
      return D.finish(R, {true, "too many calls are waiting; try again later"});
    Queue.push_back(std::move(R));
    startWaiting();
  }

  void cancel(const Json &Id) override {
    std::erase_if(Queue, [&](const CallRequest &R) { return R.Id == Id; });
    Active.remove_if([&](const Running &R) { return R.Request.Id == Id; });
    startWaiting();
  }

private:
  void startWaiting() {
    while (!Queue.empty() && Active.size() < O.Calls) {
      CallRequest R = std::move(Queue.front());
      Queue.pop_front();
      auto Process = Call::start(*R.Wanted, R.Arguments);
      if (!Process) {
        D.finish(R, {true, "no process can be started"});
        continue;
      }
      Active.push_back({std::move(R), std::move(Process)});
      tell(Active.back(), "started");
    }
  }

  void tell(Running &R, const std::string &Message) {
    R.Told = Clock::now();
    if (!R.Request.ProgressToken.is_null())
      send(notification("notifications/progress", {{"progressToken", R.Request.ProgressToken}, {"progress", ++R.Steps}, {"message", Message}}));
  }

  /// True when the call is over.
  bool look(Running &R) {
    std::vector<std::string> Steps;
    std::optional<Answer> A = R.Process->take(Steps);
    for (std::string &S : Steps)
      tell(R, R.Doing = std::move(S));
    if (!A && R.Process->seconds() > O.CallSeconds)
      A = Answer{true, "not done: it takes more than " + std::to_string(std::lround(O.CallSeconds)) + " s"};
    if (A) {
      R.Process.reset(); // before the answer: who has it may rely on nothing running any more
      D.finish(R.Request, *A);
      return true;
    }
    if (since(R.Told) >= O.HeartbeatSeconds)
      tell(R, R.Doing + ", " + std::to_string(std::lround(R.Process->seconds())) + " s");
    return false;
  }

  void read() {
    char Bytes[65536];
    ssize_t N = ::read(O.In, Bytes, sizeof Bytes);
    if (N < 0 && (errno == EINTR || errno == EAGAIN))
      return;
    if (N > 0)
      Lines.add({Bytes, size_t(N)});
    bool TooLong;
    while (auto Line = Lines.next(TooLong))
      D.line(*Line, TooLong);
    if (N > 0)
      return;
    D.line(Lines.rest(), false);
    Ended = true;
    EndedAt = Clock::now();
  }

  void wait() {
    std::vector<pollfd> Fds{{Signals, POLLIN, 0}, {O.Out, 0, 0}};
    if (!Ended)
      Fds.push_back({O.In, POLLIN, 0});
    for (const Running &R : Active)
      Fds.push_back({R.Process->descriptor(), POLLIN, 0});
    if (::poll(Fds.data(), Fds.size(), Active.empty() && !Ended ? -1 : 200) < 0 && errno != EINTR)
      Over = Broken = true;
    if (Fds[0].revents || (Fds[1].revents & (POLLERR | POLLNVAL)))
      Over = true;
    if (Over)
      return;
    if (!Ended && Fds[2].revents)
      read();
    Active.remove_if([&](Running &R) { return look(R); });
    startWaiting();
  }

  const ServerOptions &O;
  int Signals;
  Dialog D;
  LineBuffer Lines;
  std::deque<CallRequest> Queue;
  std::list<Running> Active;
  bool Ended = false, Over = false, Broken = false;
  Clock::time_point EndedAt;
};

} // namespace

int kcheck::mcp::serve(std::vector<Tool> Tools, const ServerInfo &Info, const ServerOptions &O) {
  sigset_t Ends, Before;
  sigemptyset(&Ends);
  for (int Signal : {SIGINT, SIGTERM, SIGHUP})
    sigaddset(&Ends, Signal);
  ::sigprocmask(SIG_BLOCK, &Ends, &Before);
  ::signal(SIGPIPE, SIG_IGN);
  int Signals = ::signalfd(-1, &Ends, SFD_CLOEXEC | SFD_NONBLOCK);
  int Exit = Server(std::move(Tools), Info, O, Signals).run();
  signalfd_siginfo Taken;
  while (::read(Signals, &Taken, sizeof Taken) > 0) // else they would come once they are no longer blocked
    ;
  ::close(Signals);
  ::sigprocmask(SIG_SETMASK, &Before, nullptr);
  return Exit;
}
