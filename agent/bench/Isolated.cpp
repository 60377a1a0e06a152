#include "agent/bench/Isolated.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/thread.h"
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace kcheck;
using namespace kcheck::agent;

namespace {

constexpr size_t MostAnswer = 64 << 20, StackBytes = 256 << 20;
using Clock = std::chrono::steady_clock;

struct Child {
  size_t Index = 0;
  pid_t Pid = -1;
  int Fd = -1;
  Clock::time_point Deadline;
  std::string Got;
};

void limit(int What, rlim_t Value) {
  rlimit R{Value, Value};
  ::setrlimit(What, &R);
}

/// Lets SIGINT through to the calling thread, or keeps it back.
void takeInterrupts(bool Do) {
  sigset_t Set;
  sigemptyset(&Set);
  sigaddset(&Set, SIGINT);
  ::pthread_sigmask(Do ? SIG_UNBLOCK : SIG_BLOCK, &Set, nullptr);
}

[[noreturn]] void serve(int Fd, size_t Index, const IsolationLimits &L, const std::function<std::string(size_t)> &Work) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (int Sig : {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE, SIGTERM, SIGXCPU, SIGPIPE})
    ::signal(Sig, SIG_DFL);
  ::signal(SIGINT, SIG_IGN); // Ctrl-C is the parent's affair: a child that it ends would look like a bad candidate
  takeInterrupts(true);
  limit(RLIMIT_CPU, rlim_t(L.Seconds) + 1);
  if (L.MemoryMB)
    limit(RLIMIT_AS, rlim_t(L.MemoryMB) << 20);
  limit(RLIMIT_CORE, 0);
  if (int Null = ::open("/dev/null", O_RDWR | O_CLOEXEC); Null >= 0 && !::getenv("KCHECK_DEBUG"))
    for (int To : {0, 1, 2})
      ::dup2(Null, To);
  llvm::thread Deep(std::optional<unsigned>(StackBytes), [&] { // deep nesting must not end the parse
    std::string Text = "+" + Work(Index); // an answer may be empty
    for (size_t At = 0; At < Text.size();) {
      ssize_t N = ::write(Fd, Text.data() + At, Text.size() - At);
      if (N < 0 && errno == EINTR)
        continue;
      if (N <= 0)
        break;
      At += size_t(N);
    }
    ::_exit(0);
  });
  Deep.join();
  ::_exit(0);
}

class Pool {
public:
  Pool(size_t Count, const IsolationLimits &L, const std::function<std::string(size_t)> &Work) : Count(Count), L(L), Work(Work), Answers(Count) {}

  std::vector<IsolatedAnswer> run() {
    size_t AtOnce = L.AtOnce ? L.AtOnce : std::max(1u, std::thread::hardware_concurrency());
    while (Next < Count || !Running.empty()) {
      while (Next < Count && Running.size() < AtOnce)
        start(Next++);
      wait();
    }
    return std::move(Answers);
  }

private:
  void start(size_t Index) {
    int Pipe[2];
    if (::pipe2(Pipe, O_CLOEXEC) != 0) {
      Answers[Index].Why = std::string("could not be started: ") + strerror(errno);
      return;
    }
    takeInterrupts(false); // until the child has a handler of its own
    pid_t Pid = ::fork();
    if (Pid == 0) {
      ::close(Pipe[0]);
      serve(Pipe[1], Index, L, Work);
    }
    takeInterrupts(true);
    ::close(Pipe[1]);
    if (Pid < 0) {
      ::close(Pipe[0]);
      Answers[Index].Why = std::string("could not be started: ") + strerror(errno);
      return;
    }
    Child C;
    C.Index = Index, C.Pid = Pid, C.Fd = Pipe[0];
    C.Deadline = Clock::now() + std::chrono::milliseconds(int64_t(L.Seconds * 3000));
    Running.push_back(std::move(C));
  }

  void wait() {
    std::vector<pollfd> Fds;
    for (const Child &C : Running)
      Fds.push_back({C.Fd, POLLIN, 0});
    ::poll(Fds.data(), Fds.size(), 100);
    std::vector<size_t> Over;
    for (size_t I = 0; I < Running.size(); ++I) {
      Child &C = Running[I];
      if (Fds[I].revents && !more(C)) {
        finish(C, "");
        Over.push_back(I);
      } else if (Clock::now() > C.Deadline || C.Got.size() > MostAnswer) {
        finish(C, C.Got.size() > MostAnswer ? "answers too much" : tooLong());
        Over.push_back(I);
      }
    }
    for (size_t I : llvm::reverse(Over))
      Running.erase(Running.begin() + long(I));
  }

  std::string tooLong() const { return "took more than " + std::to_string(int(L.Seconds)) + " s"; }

  /// False at the end of what it says.
  static bool more(Child &C) {
    char Part[65536];
    ssize_t N = ::read(C.Fd, Part, sizeof Part);
    if (N < 0)
      return errno == EINTR || errno == EAGAIN;
    C.Got.append(Part, size_t(N));
    return N > 0;
  }

  void finish(Child &C, std::string Why) {
    if (!Why.empty())
      ::kill(C.Pid, SIGKILL);
    ::close(C.Fd);
    int Status = 0;
    while (::waitpid(C.Pid, &Status, 0) < 0 && errno == EINTR)
      ;
    IsolatedAnswer &A = Answers[C.Index];
    if (Why.empty() && WIFSIGNALED(Status))
      Why = WTERMSIG(Status) == SIGXCPU || WTERMSIG(Status) == SIGKILL ? tooLong() : "died by signal " + std::to_string(WTERMSIG(Status));
    if (Why.empty() && (!WIFEXITED(Status) || WEXITSTATUS(Status) != 0 || C.Got.empty()))
      Why = "ended without an answer";
    if (!Why.empty()) {
      A.Why = std::move(Why);
      return;
    }
    A.Text = C.Got.substr(1);
  }

  size_t Count, Next = 0;
  const IsolationLimits &L;
  const std::function<std::string(size_t)> &Work;
  std::vector<IsolatedAnswer> Answers;
  std::vector<Child> Running;
};

} // namespace

std::vector<IsolatedAnswer> agent::runIsolated(size_t Count, const IsolationLimits &L, const std::function<std::string(size_t)> &Work) {
  return Pool(Count, L, Work).run();
}
