#include "runner/gpu/Supervisor.h"
#include "runner/gpu/Process.h"
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace kcheck;
using namespace kcheck::gpu;
using protocol::Failure;
using Steady = std::chrono::steady_clock;

bool Child::start(std::string &Why) {
  int ToChild[2], FromChild[2];
  if (pipe2(ToChild, O_CLOEXEC) != 0 || pipe2(FromChild, O_CLOEXEC) != 0) {
    Why = std::string("pipe: ") + strerror(errno);
    return false;
  }
  // All words before the fork: other threads may hold what making them needs.
  std::string Number = std::to_string(Device), Temporary = "TMPDIR=" + Within.Temporary;
  std::vector<char *> Environment;
  for (char **E = environ; *E; ++E)
    if (Within.Temporary.empty() || strncmp(*E, "TMPDIR=", 7) != 0)
      Environment.push_back(*E);
  if (!Within.Temporary.empty())
    Environment.push_back(Temporary.data());
  Environment.push_back(nullptr);
  std::vector<std::string> Texts = {"kcheck-gpu", "--device", Number, "--answer-fd", "3"};
  if (As == Role::Answers)
    Texts.push_back("--child");
  else
    Texts.insert(Texts.end(), {"--serve", "--compile-ahead"});
  std::vector<char *> Words;
  for (std::string &W : Texts)
    Words.push_back(W.data());
  Words.push_back(nullptr);
  Pid = fork();
  if (Pid < 0) {
    Why = std::string("fork: ") + strerror(errno);
    return false;
  }
  if (Pid == 0) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    rlimit None{0, 0};
    setrlimit(RLIMIT_CORE, &None);
    int Answers = fcntl(FromChild[1], F_DUPFD, 10), Null = open("/dev/null", O_WRONLY);
    dup2(ToChild[0], 0);
    dup2(Null, 1);
    dup2(Answers, 3);
    closefrom(4);
    if (Within.Enter && !Within.Enter())
      _exit(125);
    execve(Program.c_str(), Words.data(), Environment.data());
    _exit(127);
  }
  setpgid(Pid, Pid);
  close(ToChild[0]);
  close(FromChild[1]);
  In = ToChild[1];
  Out = FromChild[0];
  return true;
}

pid_t Child::end() {
  for (int *FD : {&In, &Out}) {
    if (*FD >= 0)
      close(*FD);
    *FD = -1;
  }
  if (Pid <= 0)
    return 0;
  kill(-Pid, SIGKILL);
  kill(Pid, SIGKILL);
  // A process whose kernel still runs may take a while to go: it is collected later, not waited for.
  pid_t Mine = Pid;
  Pid = -1;
  for (int I = 0; I < 50; ++I) {
    if (waitpid(Mine, nullptr, WNOHANG) != 0)
      return 0;
    usleep(1000);
  }
  return Mine;
}

bool Child::ask(const std::string &Line, double Seconds, std::string &Answer, std::string &Why, const Cancel &Cancelled) {
  auto Until = Steady::now() + std::chrono::milliseconds(int64_t(Seconds * 1000));
  if (!writeWhole(In, Line + "\n"))
    Why = "it takes no jobs";
  for (;;) {
    if (size_t End = Pending.find('\n'); End != std::string::npos) {
      Answer = Pending.substr(0, End);
      Pending.erase(0, End + 1);
      return true;
    }
    int Left = int(std::chrono::duration_cast<std::chrono::milliseconds>(Until - Steady::now()).count());
    pollfd P{Out, POLLIN, 0};
    int N = Left > 0 ? poll(&P, 1, Cancelled ? std::min(Left, 200) : Left) : 0;
    if (N == 0 && Left > 0) {
      if (!Cancelled || !Cancelled())
        continue;
      Why = "cancelled";
      return false;
    }
    if (N < 0 && errno == EINTR)
      continue;
    if (N <= 0) {
      Why = "it gave no answer in time";
      return false;
    }
    char Text[65536];
    ssize_t Got = read(Out, Text, sizeof Text);
    if (Got > 0) {
      Pending.append(Text, size_t(Got));
      continue;
    }
    int Status = 0;
    waitpid(Pid, &Status, 0);
    Pid = -1;
    const char *Signal = WIFSIGNALED(Status) ? sigabbrev_np(WTERMSIG(Status)) : nullptr;
    Why = Signal ? std::string("it was killed by SIG") + Signal : "it ended with status " + std::to_string(WEXITSTATUS(Status));
    return false;
  }
}

void Supervisor::replace() {
  if (pid_t Left = Current ? Current->end() : 0)
    Late.push_back(Left);
  std::erase_if(Late, [](pid_t P) { return waitpid(P, nullptr, WNOHANG) != 0; });
  Current = std::move(Spare);
  std::string Why;
  if (!Current) {
    Current = std::make_unique<Child>(Device, Program, Within);
    Current->start(Why);
  }
  if (KeepSpare) {
    Spare = std::make_unique<Child>(Device, Program, Within);
    Spare->start(Why);
  }
}

unsigned Supervisor::helpers() { return std::clamp(std::thread::hardware_concurrency() / 2, 1u, 4u); }

void Supervisor::compile(unsigned Slot, const std::string &Line) {
  std::unique_ptr<Child> &C = Helpers[Slot];
  std::string Answer, Why;
  if (!C || !C->running()) {
    C = std::make_unique<Child>(Device, Program, Within, Child::Role::CompilesAhead);
    C->start(Why);
  }
  constexpr double LongestCompile = 120;
  if (C->running() && !C->ask(Line, LongestCompile, Answer, Why, [this] { return Ending.load(); }))
    C.reset();
}

std::string Supervisor::answer(const std::string &Line, const Cancel &Cancelled) {
  std::string Error, Answer, Why;
  auto J = protocol::parseJob(Line, Error);
  protocol::Result R;
  R.Worker = "kcheck-gpu " KCHECK_VERSION;
  R.State = protocol::State::Failed;
  if (!J) {
    R.Failure = Failure::BadJob;
    R.Message = Error;
    return protocol::toJson(R);
  }
  R.Id = J->Id;
  Ahead.turn(Line);
  if (!Current || !Current->running())
    replace();
  // The child watches its own limits: this is for when it cannot.
  double Seconds = J->Limits.Seconds * 6 + J->Limits.CompileSeconds * 2 + 30 + (J->Perf ? 90 : 0) + 130 * double(J->Sanitizers.size());
  if (Current->ask(Line, Seconds, Answer, Why, Cancelled)) {
    // A first byte of '!' marks the last answer of a child whose context is lost.
    if (!Answer.empty() && Answer.front() == '!') {
      Answer.erase(0, 1);
      ++Replaced;
      replace();
    }
    return Answer;
  }
  bool Late = Why.find("in time") != std::string::npos;
  R.Failure = Late ? Failure::Timeout : Failure::Crash;
  R.Message = "the worker process was lost: " + Why;
  ++Replaced;
  replace();
  return protocol::toJson(R);
}
