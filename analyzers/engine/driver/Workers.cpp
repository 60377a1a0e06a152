// lintFiles(): many files in processes of their own.
//
//   parent ──index──► worker (forked, one job at a time) ──JSON──► parent
//
// A worker that dies, or uses more time or memory than it may, costs the file it had; another takes its place. A file
// whose worker died is tried once more without precompiled headers, in case a damaged one was the reason.
#include "analyzers/engine/Driver.h"
#include "analyzers/engine/driver/OneShot.h"
#include "analyzers/engine/driver/Wire.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/thread.h"
#include <chrono>
#include <csignal>
#include <cstring>
#include <ctime>
#include <deque>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace kcheck;

namespace {

struct Order {
  uint32_t Index;
  uint32_t UseCache;
};

bool sendAll(int Fd, const void *Data, size_t Size) {
  const char *P = static_cast<const char *>(Data);
  while (Size) {
    ssize_t N = ::send(Fd, P, Size, MSG_NOSIGNAL);
    if (N < 0 && errno == EINTR)
      continue;
    if (N <= 0)
      return false;
    P += N;
    Size -= size_t(N);
  }
  return true;
}
bool receiveAll(int Fd, void *Data, size_t Size) {
  char *P = static_cast<char *>(Data);
  while (Size) {
    ssize_t N = ::recv(Fd, P, Size, 0);
    if (N < 0 && errno == EINTR)
      continue;
    if (N <= 0)
      return false;
    P += N;
    Size -= size_t(N);
  }
  return true;
}

std::string absolute(llvm::StringRef File) {
  llvm::SmallString<256> P(File);
  llvm::sys::fs::make_absolute(P);
  llvm::sys::path::remove_dots(P, true);
  return std::string(P);
}

std::string tooLarge(const ParseOptions &Options) {
  return "not judged: reading it needs more than " + std::to_string(Options.MemoryMB) + " MB of memory";
}
std::string tooLong(const ParseOptions &Options) {
  return "not judged: reading it takes more than " + llvm::formatv("{0:f0}", Options.Seconds).str() + " s";
}

LintResult lintOne(const LintInput &I, const ParseOptions &Options, const Policy &P) {
  if (I.Text)
    return lint(I.File, *I.Text, Options, P);
  LintResult R;
  R.File = I.File;
  auto Buffer = llvm::MemoryBuffer::getFile(I.File);
  if (!Buffer) {
    R.Error = Buffer.getError().message();
    return R;
  }
  return lint(I.File, (*Buffer)->getBuffer(), Options, P);
}

//===- the worker ----------------------------------------------------------===//

[[noreturn]] void serve(int Fd, llvm::ArrayRef<LintInput> Inputs, const ParseOptions &Options, const Policy &P) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (int Sig : {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE, SIGTERM, SIGINT})
    ::signal(Sig, SIG_DFL);
  boundMemory(Options);
  if (!::getenv("KCHECK_DEBUG"))
    if (int Null = ::open("/dev/null", O_WRONLY | O_CLOEXEC); Null >= 0)
      ::dup2(Null, STDERR_FILENO);
  prepareHeap();
  llvm::thread Deep(std::optional<unsigned>(DeepStackBytes), [&] {
    Order Job;
    while (receiveAll(Fd, &Job, sizeof Job)) {
      ParseOptions Mine = Options;
      Mine.UseCache &= Job.UseCache != 0;
      Mine.LastParse = Inputs.size() == 1;
      std::string Text = llvm::formatv("{0}", toWire(lintOne(Inputs[Job.Index], Mine, P))).str();
      uint32_t Size = uint32_t(Text.size());
      if (!sendAll(Fd, &Size, sizeof Size) || !sendAll(Fd, Text.data(), Text.size()))
        break;
    }
    ::_exit(0);
  });
  Deep.join();
  ::_exit(0);
}

//===- the parent ----------------------------------------------------------===//

using Clock = std::chrono::steady_clock;

struct Worker {
  pid_t Pid = -1;
  int Fd = -1;
  std::optional<Order> Job;
  Clock::time_point Started;
  double CpuAtStart = 0;
};

double cpuSeconds(pid_t Pid) {
  clockid_t Id;
  timespec T;
  if (::clock_getcpuclockid(Pid, &Id) || ::clock_gettime(Id, &T))
    return 0;
  return double(T.tv_sec) + 1e-9 * double(T.tv_nsec);
}

class Pool {
public:
  Pool(llvm::ArrayRef<LintInput> Inputs, const ParseOptions &Options, const Policy &P, llvm::function_ref<void(size_t)> Progress)
      : Inputs(Inputs), Options(Options), P(P), Progress(Progress), Results(Inputs.size()) {
    for (uint32_t I = 0; I < Inputs.size(); ++I)
      Waiting.push_back({I, 1});
  }

  std::vector<LintResult> run() {
    unsigned Wanted = Options.Jobs ? Options.Jobs : std::max(1u, std::thread::hardware_concurrency());
    Workers.resize(std::min<size_t>(Wanted, Inputs.size()));
    while (Done < Inputs.size()) {
      for (Worker &W : Workers)
        if (!W.Job && !Waiting.empty())
          give(W);
      wait();
    }
    for (Worker &W : Workers)
      stop(W, 0);
    giveHeadersTheirOwn();
    return std::move(Results);
  }

private:
  /// A finding in a header that was looked at on its own is that file's only.
  void giveHeadersTheirOwn() {
    if (Inputs.size() < 2)
      return;
    llvm::StringSet<> Names;
    for (const LintInput &I : Inputs)
      Names.insert(absolute(I.File));
    for (LintResult &R : Results)
      llvm::erase_if(R.Findings, [&](const Finding &F) {
        return !F.Where.File.empty() && F.Where.File != R.File && Names.contains(absolute(F.Where.File)) && absolute(F.Where.File) != absolute(R.File);
      });
  }

  bool start(Worker &W) {
    int Pair[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, Pair))
      return false;
    W.Pid = ::fork();
    if (W.Pid == 0) {
      ::close(Pair[0]);
      for (const Worker &Other : Workers)
        if (Other.Fd >= 0)
          ::close(Other.Fd);
      serve(Pair[1], Inputs, Options, P);
    }
    ::close(Pair[1]);
    if (W.Pid < 0) {
      ::close(Pair[0]);
      return false;
    }
    W.Fd = Pair[0];
    return true;
  }

  int stop(Worker &W, int Signal) {
    if (W.Pid < 0)
      return 0;
    if (Signal)
      ::kill(W.Pid, Signal);
    ::close(W.Fd);
    int Status = 0;
    while (::waitpid(W.Pid, &Status, 0) < 0 && errno == EINTR)
      ;
    W = Worker();
    return Status;
  }

  void give(Worker &W) {
    Order Job = Waiting.front();
    Waiting.pop_front();
    if (W.Pid < 0 && !start(W)) { // no process to be had: do it here
      finish(Job.Index, lintOne(Inputs[Job.Index], Options, P));
      return;
    }
    W.Job = Job;
    W.Started = Clock::now();
    W.CpuAtStart = cpuSeconds(W.Pid);
    if (!sendAll(W.Fd, &Job, sizeof Job))
      died(W, 0);
  }

  void finish(uint32_t Index, LintResult R) {
    Results[Index] = std::move(R);
    ++Done;
    if (Progress)
      Progress(Done);
  }

  void fail(uint32_t Index, const Worker &W, std::string Why) {
    LintResult R;
    R.File = Inputs[Index].File;
    R.Error = std::move(Why);
    R.ElapsedMs = std::chrono::duration<double, std::milli>(Clock::now() - W.Started).count();
    finish(Index, std::move(R));
  }

  /// The worker is gone, or must go: Signal ends it.
  void died(Worker &W, int Signal, std::string Why = "") {
    Worker Was = W;
    int Status = stop(W, Signal);
    if (!Was.Job)
      return;
    Order Job = *Was.Job;
    if (Why.empty() && WIFEXITED(Status) && WEXITSTATUS(Status) == OutOfMemoryExit)
      Why = tooLarge(Options);
    if (!Why.empty()) {
      fail(Job.Index, Was, std::move(Why));
    } else if (Job.UseCache && Options.UseCache) {
      Waiting.push_front({Job.Index, 0});
    } else {
      std::string How = WIFSIGNALED(Status) ? std::string(" (") + ::strsignal(WTERMSIG(Status)) + ")" : "";
      fail(Job.Index, Was, "not judged: the analysis of this file crashed" + How + "; it may nest too deep");
    }
  }

  void answer(Worker &W) {
    uint32_t Size = 0;
    std::string Text;
    if (!receiveAll(W.Fd, &Size, sizeof Size))
      return died(W, 0);
    Text.resize(Size);
    if (!receiveAll(W.Fd, Text.data(), Size))
      return died(W, 0);
    uint32_t Index = W.Job->Index;
    if (auto R = fromWire(Text)) {
      W.Job.reset();
      finish(Index, std::move(*R));
    } else {
      died(W, SIGKILL, "not judged: the worker's answer was unreadable");
    }
  }

  void checkTime(Worker &W) {
    if (!W.Job)
      return;
    // Processor time, so that a busy machine does not fail a file; a sleeping worker is bounded by the clock.
    double Cpu = cpuSeconds(W.Pid) - W.CpuAtStart;
    double Wall = std::chrono::duration<double>(Clock::now() - W.Started).count();
    if (Cpu > Options.Seconds || Wall > 30 * Options.Seconds)
      died(W, SIGKILL, tooLong(Options));
  }

  void wait() {
    std::vector<pollfd> Fds;
    std::vector<size_t> Who;
    for (size_t I = 0; I < Workers.size(); ++I)
      if (Workers[I].Job) {
        Fds.push_back({Workers[I].Fd, POLLIN, 0});
        Who.push_back(I);
      }
    if (Fds.empty())
      return;
    int N = ::poll(Fds.data(), Fds.size(), 100);
    for (size_t I = 0; I < Fds.size(); ++I) {
      if (N > 0 && Fds[I].revents)
        answer(Workers[Who[I]]);
      else
        checkTime(Workers[Who[I]]);
    }
  }

  llvm::ArrayRef<LintInput> Inputs;
  const ParseOptions &Options;
  const Policy &P;
  llvm::function_ref<void(size_t)> Progress;
  std::vector<LintResult> Results;
  std::deque<Order> Waiting;
  std::vector<Worker> Workers;
  size_t Done = 0;
};

} // namespace

std::vector<LintResult> kcheck::lintFiles(llvm::ArrayRef<LintInput> Inputs, const ParseOptions &Options, const Policy &P,
                                          llvm::function_ref<void(size_t)> Progress) {
  LintResult R;
  if (Inputs.size() == 1 && Options.Try == FirstTry::Here) {
    R = lintHere([&](const ParseOptions &Mine) { return lintOne(Inputs[0], Mine, P); }, Options);
  } else if (Inputs.size() == 1 && (Options.Try == FirstTry::TooLong || Options.Try == FirstTry::TooLarge)) {
    R.File = Inputs[0].File;
    R.Error = Options.Try == FirstTry::TooLong ? tooLong(Options) : tooLarge(Options);
  } else {
    return Pool(Inputs, Options, P, Progress).run();
  }
  if (Progress)
    Progress(1);
  return {std::move(R)};
}
