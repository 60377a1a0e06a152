#include "runner/client/Sandbox.h"
#include "runner/client/sandbox/Filter.h"
#include "runner/client/sandbox/Landlock.h"
#include "runner/client/sandbox/Launch.h"
#include "runner/client/sandbox/ProcessTree.h"
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace kcheck::client;
namespace fs = std::filesystem;

const char *kcheck::client::toString(SandboxKind K) {
  switch (K) {
  case SandboxKind::Bubblewrap: return "bubblewrap";
  case SandboxKind::Landlock: return "landlock + seccomp";
  case SandboxKind::None: return "none";
  }
  return "none";
}

const char *kcheck::client::toString(Outcome O) {
  switch (O) {
  case Outcome::Exited: return "exited";
  case Outcome::Signalled: return "signalled";
  case Outcome::TimedOut: return "timed out";
  case Outcome::OutOfMemory: return "out of memory";
  case Outcome::OutputLimit: return "too much output";
  case Outcome::TooManyProcesses: return "too many processes";
  case Outcome::Cancelled: return "cancelled";
  case Outcome::NotStarted: return "not started";
  }
  return "not started";
}

namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Watches one started program to its end.
class Watch {
public:
  Watch(const SandboxCommand &C, SandboxKind Kind, Started S) : C(C), S(std::move(S)) { R.Kind = Kind; }
  SandboxResult run();

private:
  const SandboxCommand &C;
  Started S;
  SandboxResult R;
  size_t Fed = 0;
  bool Ended = false, Killed = false;
  int WaitStatus = 0;

  void feed();
  void drain(int &FD, std::string &Into);
  void checkLimits(double Elapsed);
  void stop(Outcome How, std::string Why);
  void reap(bool Block);
  void conclude();
};

void Watch::feed() {
  ssize_t N = write(S.In, C.Input.data() + Fed, C.Input.size() - Fed);
  if (N > 0)
    Fed += N;
  if (Fed == C.Input.size() || (N < 0 && errno != EAGAIN && errno != EINTR)) {
    close(S.In);
    S.In = -1;
  }
}

void Watch::drain(int &FD, std::string &Into) {
  char Buffer[65536];
  ssize_t N = read(FD, Buffer, sizeof(Buffer));
  if (N > 0) {
    size_t Room = Into.size() < C.Limits.OutputBytes ? C.Limits.OutputBytes - Into.size() : 0;
    Into.append(Buffer, std::min<size_t>(N, Room));
    if (size_t(N) > Room)
      stop(Outcome::OutputLimit, "more than " + std::to_string(C.Limits.OutputBytes) + " bytes of output");
  } else if (N == 0 || (errno != EAGAIN && errno != EINTR)) {
    close(FD);
    FD = -1;
  }
}

void Watch::stop(Outcome How, std::string Why) {
  if (Killed)
    return;
  Killed = true;
  R.How = How;
  R.Why = std::move(Why);
  // bwrap's death ends its whole process namespace; the supervisor kills what it can see before it ends.
  kill(S.Pid, S.Status >= 0 ? SIGTERM : SIGKILL);
  if (S.Group.valid())
    S.Group.killAll();
}

void Watch::checkLimits(double Elapsed) {
  if (C.Limits.WallSeconds > 0 && Elapsed > C.Limits.WallSeconds)
    return stop(Outcome::TimedOut, "longer than " + std::to_string(C.Limits.WallSeconds).substr(0, 6) + " s");
  if (C.Cancelled && C.Cancelled())
    return stop(Outcome::Cancelled, "cancelled");
  TreeUse Use = useOfTree(S.Pid);
  R.PeakBytes = std::max(R.PeakBytes, Use.Bytes);
  if (Use.Bytes > C.Limits.MemoryBytes)
    return stop(Outcome::OutOfMemory, "more than " + std::to_string(C.Limits.MemoryBytes >> 20) + " MiB of memory");
  if (Use.Processes > C.Limits.Processes + 3) // bwrap and its init, or the supervisor
    return stop(Outcome::TooManyProcesses, "more than " + std::to_string(C.Limits.Processes) + " processes");
}

void Watch::reap(bool Block) {
  if (Ended)
    return;
  int Status = 0;
  pid_t Done = waitpid(S.Pid, &Status, Block ? 0 : WNOHANG);
  if (Done == S.Pid || (Done < 0 && errno == ECHILD)) {
    Ended = true;
    WaitStatus = Status;
  }
}

void Watch::conclude() {
  if (S.Status >= 0) {
    int Inner = 0;
    if (read(S.Status, &Inner, sizeof(Inner)) == sizeof(Inner))
      WaitStatus = Inner;
    close(S.Status);
  } else if (WIFEXITED(WaitStatus) && WEXITSTATUS(WaitStatus) > 128 && WEXITSTATUS(WaitStatus) <= 128 + 64) {
    WaitStatus = WEXITSTATUS(WaitStatus) - 128; // bwrap's way to say "died of a signal"
  }
  if (Killed)
    return;
  if (WIFEXITED(WaitStatus)) {
    R.How = Outcome::Exited;
    R.Status = WEXITSTATUS(WaitStatus);
  } else {
    R.How = Outcome::Signalled;
    R.Status = WTERMSIG(WaitStatus);
    R.Why = std::string("signal ") + strsignal(R.Status);
    if (R.Status == SIGXCPU) {
      R.How = Outcome::TimedOut;
      R.Why = "longer than its CPU time";
    }
  }
}

SandboxResult Watch::run() {
  for (int FD : {S.In, S.Out, S.Err, S.Result})
    fcntl(FD, F_SETFL, O_NONBLOCK);
  double Start = now(), NextCheck = 0, StopBy = 0;
  if (C.Input.empty()) {
    close(S.In);
    S.In = -1;
  }
  while (!Ended || S.Out >= 0 || S.Err >= 0 || S.Result >= 0) {
    pollfd Polled[4];
    int *Ends[4] = {&S.In, &S.Out, &S.Err, &S.Result};
    for (int I = 0; I < 4; ++I)
      Polled[I] = {*Ends[I], short(I == 0 ? POLLOUT : POLLIN), 0};
    double Elapsed = now() - Start;
    // Short programs end within milliseconds: look often at first.
    poll(Polled, 4, Elapsed < 0.05 ? 2 : 15);
    if (Polled[0].revents)
      feed();
    if (Polled[1].revents)
      drain(S.Out, R.Out);
    if (Polled[2].revents)
      drain(S.Err, R.Err);
    if (Polled[3].revents)
      drain(S.Result, R.Result);
    reap(false);
    Elapsed = now() - Start;
    if (!Ended && !Killed && Elapsed >= NextCheck) {
      checkLimits(Elapsed);
      NextCheck = Elapsed + 0.015;
    }
    // Whoever still holds a stream after the end is dead or about to be.
    if ((Ended || Killed) && StopBy == 0)
      StopBy = Elapsed + 2;
    if (StopBy && Elapsed > StopBy) {
      kill(S.Pid, SIGKILL);
      break;
    }
  }
  R.Seconds = now() - Start;
  reap(true);
  conclude();
  for (int FD : {S.In, S.Out, S.Err, S.Result})
    if (FD >= 0)
      close(FD);
  return R;
}

SandboxResult notStarted(std::string Why) {
  SandboxResult R;
  R.Why = std::move(Why);
  return R;
}

std::string findBubblewrap() {
  for (const char *P : {"/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap"})
    if (access(P, X_OK) == 0)
      return P;
  return {};
}

SandboxCommand trivialCommand() {
  SandboxCommand C;
  C.Argv = {"/bin/true"};
  C.Limits.WallSeconds = 10;
  return C;
}

SandboxResult runBy(const SandboxCommand &C, SandboxKind Kind, const std::string &Bwrap) {
  if (C.Argv.empty() || C.Argv[0].empty() || C.Argv[0][0] != '/')
    return notStarted("no absolute path of a program");
  Started S = launch(C, Kind, Bwrap);
  if (!S.Error.empty())
    return notStarted(S.Error);
  return Watch(C, Kind, std::move(S)).run();
}

SandboxProbe makeProbe() {
  SandboxProbe P;
  P.LandlockAbi = landlockAbi();
  P.Seccomp = haveSystemCallFilter();
  std::string Bwrap = findBubblewrap();
  if (Bwrap.empty()) {
    P.Reasons.push_back("bubblewrap is not installed");
  } else {
    SandboxResult R = runBy(trivialCommand(), SandboxKind::Bubblewrap, Bwrap);
    if (R.ok())
      P.Bubblewrap = Bwrap;
    else
      P.Reasons.push_back("bubblewrap does not work here: " + (R.Err.empty() ? R.Why : R.Err.substr(0, R.Err.find('\n'))));
  }
  bool Landlock = false;
  if (!P.LandlockAbi) {
    P.Reasons.push_back("the kernel has no landlock");
  } else if (!P.Seccomp) {
    P.Reasons.push_back("built without libseccomp");
  } else {
    SandboxResult R = runBy(trivialCommand(), SandboxKind::Landlock, {});
    Landlock = R.ok();
    if (!Landlock)
      P.Reasons.push_back("landlock + seccomp do not work here: " + R.Why);
  }
  P.Best = !P.Bubblewrap.empty() ? SandboxKind::Bubblewrap : Landlock ? SandboxKind::Landlock : SandboxKind::None;
  const char *Wanted = getenv("KCHECK_SANDBOX");
  if (Wanted && *Wanted) {
    std::string W = Wanted;
    P.Reasons.push_back("KCHECK_SANDBOX=" + W);
    if (W == "landlock" && Landlock)
      P.Best = SandboxKind::Landlock;
    else if (W == "none")
      P.Best = SandboxKind::None;
    else if (W == "bubblewrap" && P.Bubblewrap.empty())
      P.Best = SandboxKind::None;
  }
  return P;
}

} // namespace

const SandboxProbe &kcheck::client::probe() {
  static const SandboxProbe P = makeProbe();
  return P;
}

SandboxResult kcheck::client::runSandboxed(const SandboxCommand &Command) {
  const SandboxProbe &P = probe();
  const char *Wanted = getenv("KCHECK_SANDBOX");
  if (P.Best == SandboxKind::None && !(Wanted && std::string(Wanted) == "none")) {
    std::string Why = "no sandbox works here";
    for (const std::string &R : P.Reasons)
      Why += "; " + R;
    return notStarted(Why + " (KCHECK_SANDBOX=none runs without)");
  }
  return runBy(Command, P.Best, P.Bubblewrap);
}

SandboxResult kcheck::client::runSandboxed(const SandboxCommand &Command, SandboxKind Kind) {
  const SandboxProbe &P = probe();
  if (Kind == SandboxKind::Bubblewrap && P.Bubblewrap.empty())
    return notStarted("bubblewrap does not work here");
  return runBy(Command, Kind, P.Bubblewrap);
}

ScratchFolder::ScratchFolder() {
  std::error_code EC;
  fs::path Base = fs::temp_directory_path(EC);
  std::string Pattern = (EC ? fs::path("/tmp") : Base).string() + "/kcheck-XXXXXX";
  if (mkdtemp(Pattern.data()))
    Path = Pattern;
}

ScratchFolder::~ScratchFolder() {
  std::error_code EC;
  if (!Path.empty())
    fs::remove_all(Path, EC);
}

bool ScratchFolder::write(const std::string &Name, const std::string &Text) const {
  std::error_code EC;
  fs::path P = fs::path(Path) / Name;
  fs::create_directories(P.parent_path(), EC);
  std::ofstream Out(P, std::ios::binary);
  Out.write(Text.data(), std::streamsize(Text.size()));
  return bool(Out);
}
