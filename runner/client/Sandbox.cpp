#include "runner/client/Sandbox.h"
#include "runner/client/sandbox/Filter.h"
#include "runner/client/sandbox/Landlock.h"
#include "runner/client/sandbox/Watch.h"
#include <atomic>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <sys/eventfd.h>
#include <thread>
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

namespace {

/// What to run a command by.
struct Mechanism {
  SandboxKind Kind = SandboxKind::None;
  std::string Bubblewrap, Refusal;
  bool Tried = true; ///< seen to work here
};

Mechanism probed() {
  const SandboxProbe &P = probe();
  Mechanism M{P.Best, P.Bubblewrap, "", true};
  const char *Wanted = getenv("KCHECK_SANDBOX");
  if (P.Best == SandboxKind::None && !(Wanted && std::string(Wanted) == "none")) {
    M.Refusal = "no sandbox works here";
    for (const std::string &R : P.Reasons)
      M.Refusal += "; " + R;
    M.Refusal += " (KCHECK_SANDBOX=none runs without)";
  }
  return M;
}

/// Trying bubblewrap beforehand takes as long as a short command: where it is installed and nothing else is asked for, the command
/// itself is the trial.
Mechanism mechanism() {
  const char *Wanted = getenv("KCHECK_SANDBOX");
  if (Wanted && *Wanted)
    return probed();
  static const std::string Path = findBubblewrap();
  return Path.empty() ? probed() : Mechanism{SandboxKind::Bubblewrap, Path, "", false};
}

/// Whether bubblewrap could not start the command. A command may say the same, which costs it a probe and changes nothing.
bool failedToStart(const SandboxResult &R) {
  return R.Kind == SandboxKind::Bubblewrap && R.How == Outcome::Exited && R.Status != 0 && R.Err.starts_with("bwrap: ");
}

/// R is what an untried mechanism gave: once more by another one, where that one does not work here.
SandboxResult settle(SandboxResult R, const Mechanism &M, const SandboxCommand &C) {
  if (M.Tried || !failedToStart(R))
    return R;
  Mechanism Other = probed();
  if (!Other.Refusal.empty())
    return notStarted(Other.Refusal);
  return Other.Kind == M.Kind ? R : runBy(C, Other.Kind, Other.Bubblewrap);
}

} // namespace

SandboxResult kcheck::client::runSandboxed(const SandboxCommand &Command) {
  Mechanism M = mechanism();
  if (!M.Refusal.empty())
    return notStarted(M.Refusal);
  return settle(runBy(Command, M.Kind, M.Bubblewrap), M, Command);
}

SandboxResult kcheck::client::runSandboxed(const SandboxCommand &Command, SandboxKind Kind) {
  const SandboxProbe &P = probe();
  if (Kind == SandboxKind::Bubblewrap && P.Bubblewrap.empty())
    return notStarted("bubblewrap does not work here");
  return runBy(Command, Kind, P.Bubblewrap);
}

struct SandboxRun::State {
  SandboxCommand Command;
  Mechanism By;
  Started Program;
  SandboxResult Result;
  std::thread Watcher;
  int Wake = -1;
  std::atomic<bool> Unwanted = false;
  std::mutex Lock;
  std::condition_variable Changed;
  std::string Text; ///< arrived, not handed out
  bool Over = false;

  void watch() {
    SandboxResult R = settle(Watch(Command, By.Kind, std::move(Program), Wake).run(), By, Command);
    std::lock_guard Guard(Lock);
    Result = std::move(R);
    Over = true;
    Changed.notify_one();
  }
};

SandboxRun::SandboxRun(SandboxCommand Command) : S(std::make_unique<State>()) {
  S->Command = std::move(Command);
  S->By = mechanism();
  S->Command.Cancelled = [S = S.get()] { return S->Unwanted.load(); };
  S->Command.Arrived = [S = S.get()](std::string_view Piece) {
    std::lock_guard Guard(S->Lock);
    S->Text += Piece;
    S->Changed.notify_one();
  };
  if (S->By.Refusal.empty())
    S->Program = launch(S->Command, S->By.Kind, S->By.Bubblewrap);
  const std::string &Why = S->By.Refusal.empty() ? S->Program.Error : S->By.Refusal;
  S->Over = !Why.empty();
  S->Result.Why = Why;
  S->Wake = eventfd(0, EFD_CLOEXEC);
}

SandboxRun::~SandboxRun() {
  S->Unwanted = true;
  if (S->Wake >= 0)
    eventfd_write(S->Wake, 1);
  if (S->Watcher.joinable())
    S->Watcher.join();
  else if (!S->Over)
    S->watch();
  if (S->Wake >= 0)
    close(S->Wake);
}

void SandboxRun::feed(std::string Input, double WallSeconds) {
  if (S->Over)
    return;
  S->Command.Input = std::move(Input);
  S->Command.Limits.WallSeconds = WallSeconds;
  S->Watcher = std::thread([S = S.get()] { S->watch(); });
}

bool SandboxRun::line(std::string &Line) {
  std::unique_lock Guard(S->Lock);
  size_t End;
  S->Changed.wait(Guard, [&] { return (End = S->Text.find('\n')) != std::string::npos || S->Over; });
  if (End == std::string::npos)
    return false;
  Line.assign(S->Text, 0, End);
  S->Text.erase(0, End + 1);
  return true;
}

const SandboxResult &SandboxRun::result() const { return S->Result; }

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
