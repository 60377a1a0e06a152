#include "runner/client/Worker.h"
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace kcheck;
using namespace kcheck::client;
using protocol::Failure;
using Steady = std::chrono::steady_clock;

namespace {

void closeAt(int &FD) {
  if (FD >= 0)
    close(FD);
  FD = -1;
}

bool makePipe(int Ends[2]) { return pipe2(Ends, O_CLOEXEC) == 0; }

int leftMs(Steady::time_point Until) {
  auto Ms = std::chrono::duration_cast<std::chrono::milliseconds>(Until - Steady::now()).count();
  return int(std::clamp<long long>(Ms, 0, 3600'000));
}

std::string describeExit(int Status) {
  if (WIFSIGNALED(Status)) {
    const char *Name = sigabbrev_np(WTERMSIG(Status));
    return std::string("the worker was killed by SIG") + (Name ? Name : "?");
  }
  return "the worker ended with status " + std::to_string(WEXITSTATUS(Status));
}

} // namespace

std::string client::findWorker(const std::string &Name) {
  char Self[4096];
  ssize_t N = readlink("/proc/self/exe", Self, sizeof Self - 1);
  std::vector<std::string> Places;
  if (N > 0) {
    std::string Dir(Self, size_t(N));
    Dir.resize(Dir.rfind('/'));
    Places = {Dir + "/" + Name, Dir + "/../" + Name + "/" + Name, Dir + "/../libexec/kcheck/" + Name};
  }
  if (const char *Path = getenv("PATH"))
    for (const char *P = Path; *P;) {
      const char *End = strchrnul(P, ':');
      Places.push_back(std::string(P, End) + "/" + Name);
      P = *End ? End + 1 : End;
    }
  for (const std::string &P : Places)
    if (access(P.c_str(), X_OK) == 0)
      return P;
  return "";
}

bool Worker::start(std::string &Error) {
  std::string Program = Options.Program.empty() ? findWorker("kcheck-sim") : Options.Program;
  if (Program.empty()) {
    Error = "kcheck-sim is not installed";
    return false;
  }
  int ToChild[2] = {-1, -1}, FromChild[2] = {-1, -1}, ErrPipe[2] = {-1, -1};
  if (!makePipe(ToChild) || !makePipe(FromChild) || !makePipe(ErrPipe)) {
    Error = std::string("pipe: ") + strerror(errno);
    return false;
  }
  constexpr int AnswerFd = 3;
  std::vector<std::string> Words = Options.Wrapper;
  Words.push_back(Program);
  Words.insert(Words.end(), Options.Args.begin(), Options.Args.end());
  for (const char *W : {"--serve", "--answer-fd", "3"})
    Words.push_back(W);
  std::vector<char *> Argv;
  for (std::string &W : Words)
    Argv.push_back(W.data());
  Argv.push_back(nullptr);
  Pid = fork();
  if (Pid < 0) {
    Error = std::string("fork: ") + strerror(errno);
    return false;
  }
  if (Pid == 0) {
    setpgid(0, 0);
    int Null = open("/dev/null", O_WRONLY);
    // The answer's end may sit on a number that the others want: move it out of the way first.
    int Out = fcntl(FromChild[1], F_DUPFD, 10);
    dup2(ToChild[0], 0);
    dup2(Null, 1);
    dup2(ErrPipe[1], 2);
    dup2(Out, AnswerFd);
    closefrom(AnswerFd + 1);
    if (Options.Confine && !Options.Confine())
      _exit(125);
    execv(Argv[0], Argv.data());
    _exit(127);
  }
  setpgid(Pid, Pid);
  close(ToChild[0]);
  close(FromChild[1]);
  close(ErrPipe[1]);
  In = ToChild[1];
  Answer = FromChild[0];
  Err = ErrPipe[0];
  fcntl(In, F_SETFL, O_NONBLOCK);
  fcntl(Err, F_SETFL, O_NONBLOCK);
  Pending.clear();
  return true;
}

void Worker::stop() {
  closeAt(In);
  closeAt(Answer);
  closeAt(Err);
  if (Pid > 0) {
    kill(-Pid, SIGKILL);
    kill(Pid, SIGKILL);
    int Status;
    while (waitpid(Pid, &Status, 0) < 0 && errno == EINTR) {
    }
  }
  Pid = -1;
}

protocol::Result Worker::failed(const protocol::Job &J, Failure F, std::string Message) const {
  protocol::Result R;
  R.Id = J.Id;
  R.State = protocol::State::Failed;
  R.Failure = F;
  R.Message = std::move(Message);
  return R;
}

std::string Worker::lastWords() {
  char Text[512];
  ssize_t N = Err >= 0 ? read(Err, Text, sizeof Text) : 0;
  std::string S = N > 0 ? std::string(Text, size_t(N)) : "";
  while (!S.empty() && S.back() == '\n')
    S.pop_back();
  return S.empty() ? "" : ": " + S;
}

protocol::Result Worker::run(const protocol::Job &J) {
  std::string Error;
  if (Pid < 0 && !start(Error))
    return failed(J, Failure::NoWorker, Error);
  auto Until = Steady::now() + std::chrono::milliseconds(int64_t((J.Limits.Seconds + J.Limits.CompileSeconds + Options.GraceSeconds) * 1000));
  std::string Text = protocol::toJson(J) + "\n";
  size_t Sent = 0;
  struct IgnorePipe {
    struct sigaction Old;
    IgnorePipe() {
      struct sigaction Ignore = {};
      Ignore.sa_handler = SIG_IGN;
      sigaction(SIGPIPE, &Ignore, &Old);
    }
    ~IgnorePipe() { sigaction(SIGPIPE, &Old, nullptr); }
  } Guard;
  constexpr size_t MostBytes = size_t(1) << 31;
  for (;;) {
    size_t End = Pending.find('\n');
    if (End != std::string::npos && Sent == Text.size()) {
      std::string Line = Pending.substr(0, End);
      Pending.erase(0, End + 1);
      if (auto R = protocol::parseResult(Line, Error))
        return *R;
      stop();
      return failed(J, Failure::Crash, "the worker's answer makes no sense: " + Error);
    }
    pollfd Wait[3] = {{Answer, POLLIN, 0}, {Sent < Text.size() ? In : -1, POLLOUT, 0}, {Err, POLLIN, 0}};
    int Left = leftMs(Until);
    int N = Left ? poll(Wait, 2, Left) : 0;
    if (N < 0 && errno == EINTR)
      continue;
    if (N <= 0 || Pending.size() > MostBytes) {
      stop();
      return failed(J, Failure::Timeout, "the worker gave no answer in time and was killed");
    }
    if (Wait[1].revents & (POLLOUT | POLLERR | POLLHUP)) {
      ssize_t W = write(In, Text.data() + Sent, Text.size() - Sent);
      if (W > 0)
        Sent += size_t(W);
      else if (errno != EAGAIN && errno != EINTR)
        Sent = Text.size(); // it is gone; the answer's end tells how
    }
    if (Wait[0].revents & (POLLIN | POLLHUP)) {
      char Buffer[65536];
      ssize_t R = read(Answer, Buffer, sizeof Buffer);
      if (R > 0) {
        Pending.append(Buffer, size_t(R));
      } else if (R == 0) {
        int Status = 0;
        std::string Words = lastWords();
        waitpid(Pid, &Status, 0);
        Pid = -1;
        stop();
        if (WIFEXITED(Status) && (WEXITSTATUS(Status) == 127 || WEXITSTATUS(Status) == 125))
          return failed(J, Failure::NoWorker, "the worker could not be started" + Words);
        return failed(J, Failure::Crash, describeExit(Status) + Words);
      }
    }
  }
}
