#include "runner/sim/host/LauncherJob.h"
#include "runner/sim/JobRunner.h"
#include "runner/sim/Refusals.h"
#include "runner/sim/host/Guest.h"
#include "runner/sim/host/HostNames.h"
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace kcheck;
using namespace kcheck::sim;
using protocol::Failure;

namespace {

constexpr char Root[] = "/kcheck-src/";

struct Loaded {
  std::unique_ptr<Compiled> Code;
  std::unique_ptr<HostProgram> Program;
  void (*Function)(void **) = nullptr;
  std::vector<protocol::CompileMessage> Messages;
};

std::unique_ptr<Loaded> load(const protocol::Job &J, protocol::Result &R, std::string &Error) {
  auto L = std::make_unique<Loaded>();
  L->Code = compileDeviceSide({J.Source}, Root, J.Checks.any() || J.Checks.Metrics, L->Messages, Error);
  R.Compile = L->Messages;
  if (!L->Code)
    return nullptr;
  HostUnit U;
  U.Source = J.Source;
  U.Source.Text += "\n#line 1 \"kcheck-call\"\n" + J.Source.CallText + "\n";
  L->Program = loadHost({U}, Root, resolveForProgram, R.Compile, Error, "kcheck_call");
  if (!L->Program)
    return nullptr;
  L->Function = reinterpret_cast<void (*)(void **)>(L->Program->address("kcheck_call"));
  // Everything has its address before the process is copied: nothing is linked in the candidate's.
  for (auto &Names : L->Program->Constructors)
    for (const std::string &Name : Names)
      L->Program->address(Name);
  R.Times.insert(L->Code->Times.begin(), L->Code->Times.end());
  return L;
}

/// Device and host code of the last sources.
Loaded *loaded(const protocol::Job &J, protocol::Result &R, std::string &Error) {
  static std::map<std::string, std::unique_ptr<Loaded>> Kept;
  std::string Key = J.Source.Arch + "\n" + J.Source.Standard + "\n" + J.Source.File + "\n" + (J.Checks.any() || J.Checks.Metrics ? "c" : "u") + "\n";
  for (const auto *List : {&J.Source.Defines, &J.Source.Args})
    for (const std::string &S : *List)
      Key += S + "\n";
  for (const protocol::SourceFile &F : J.Source.Includes)
    Key += F.Path + "\n" + F.Text + "\n";
  Key += J.Source.CallText + "\n" + J.Source.Text;
  if (auto It = Kept.find(Key); It != Kept.end())
    return It->second.get();
  auto L = load(J, R, Error);
  if (!L)
    return nullptr;
  return (Kept[Key] = std::move(L)).get();
}

/// The device's end of the wire, and the process behind it.
class GuestProcess {
public:
  GuestProcess(HostDevice &D, Loaded &L) : D(D), L(L) {}
  ~GuestProcess() {
    if (Pid > 0) {
      kill(Pid, SIGKILL);
      waitpid(Pid, nullptr, 0);
    }
    for (int FD : {W.in(), W.out(), Print, Bait})
      if (FD >= 0)
        close(FD);
  }

  bool start() {
    int ToGuest[2], FromGuest[2], Prints[2], Baits[2];
    for (int *P : {ToGuest, FromGuest, Prints, Baits})
      if (pipe2(P, O_CLOEXEC))
        return false;
    fcntl(FromGuest[1], F_SETPIPE_SZ, 1 << 20);
    Pid = fork();
    if (Pid < 0)
      return false;
    if (Pid == 0)
      runGuest(D, *L.Program, L.Function, {ToGuest[0], FromGuest[1], Prints[1], Baits[1]});
    for (int FD : {ToGuest[0], FromGuest[1], Prints[1], Baits[1]})
      close(FD);
    W = Wire(FromGuest[0], ToGuest[1]);
    Print = Prints[0];
    Bait = Baits[0];
    for (int FD : {Print, Bait})
      fcntl(FD, F_SETFL, O_NONBLOCK);
    return true;
  }

  void call(const std::vector<uint64_t> &Cells) {
    if (!Constructed)
      serve(Op::Ready); // what the candidate's constructors do
    Constructed = true;
    if (!W.send({Op::Call, Cells, {}, {}}))
      gone();
    serve(Op::Done);
    settle();
  }

private:
  /// Answers until the guest says Last.
  void serve(Op Last) {
    for (;;) {
      wait();
      Message M;
      switch (W.receive(M, D.E.Deadline)) {
      case Wire::Got::Message: break;
      case Wire::Got::End: gone();
      case Wire::Got::Late: late();
      case Wire::Got::Nonsense:
        D.reportAt({}, "cheat_channel", "the host code wrote to the descriptor by which the runtime is called");
        throw StepFailed{Failure::Crash, "the host code broke the connection to the device"};
      }
      currentCall() = {0, nullptr, M.Callers};
      if (M.What == Last)
        return;
      if (!status(M) && !W.send(answer(M)))
        gone();
    }
  }

  /// Until the guest calls. What it prints meanwhile is taken, or it would wait.
  void wait() {
    for (;;) {
      auto Left = std::chrono::duration_cast<std::chrono::milliseconds>(D.E.Deadline - Wire::Clock::now()).count();
      if (Left <= 0)
        late();
      pollfd Wait[3] = {{W.in(), POLLIN, 0}, {Open[0] ? Print : -1, POLLIN, 0}, {Open[1] ? Bait : -1, POLLIN, 0}};
      if (poll(Wait, 3, int(std::min<long long>(Left, 1000))) < 0 && errno != EINTR)
        return;
      for (int I : {1, 2})
        if (Wait[I].revents)
          drain(I);
      if (Wait[0].revents)
        return;
    }
  }

  void drain(int Which) {
    char Text[65536];
    std::string &To = Which == 1 ? Printed : Baited;
    for (;;) {
      ssize_t N = read(Which == 1 ? Print : Bait, Text, sizeof Text);
      if (N == 0)
        Open[Which - 1] = false;
      if (N <= 0)
        return;
      constexpr size_t Most = 256 << 10;
      To.append(Text, std::min<size_t>(size_t(N), Most - std::min(Most, To.size())));
    }
  }

  [[noreturn]] void late() {
    throw StepFailed{Failure::None, "the launcher is not done in time on the simulator"};
  }
  [[noreturn]] void gone() {
    settle();
    D.reportAt({}, "crash", "the process of the host code ended", false);
    throw StepFailed{Failure::Crash, "the process of the host code ended"};
  }

  /// What the guest says of itself. True: that was all.
  bool status(const Message &M) {
    std::string Text(M.Bytes.begin(), M.Bytes.end());
    auto word = [&](size_t I) { return I < M.Words.size() ? M.Words[I] : 0; };
    switch (M.What) {
    case Op::Threw:
      settle();
      D.report("crash", "the launcher throws an exception" + (Text.empty() ? "" : ": " + Text), false);
      throw StepFailed{Failure::Crash, "the launcher throws an exception"};
    case Op::Exits:
      settle();
      D.report("crash", "the launcher ends the process (exit status " + std::to_string(int(word(0))) + ")", false);
      throw StepFailed{Failure::Crash, "the launcher ends the process"};
    case Op::Unsupported:
      D.report("unsupported_by_simulator", "the simulator does not know " + Text);
      throw StepFailed{Failure::Unsupported, "the simulator does not know " + Text};
    case Op::Crashed:
      settle();
      if (word(0) == SIGABRT)
        D.report("crash", "the launcher ends the process by abort()", false);
      else
        D.reportCrash(int(word(0)), word(1), word(2), D.here(), word(3));
      throw StepFailed{D.R.Failure == Failure::None ? Failure::Crash : D.R.Failure, D.R.Message.empty() ? "the host code crashed" : D.R.Message};
    case Op::Patches:
      if (word(0))
        D.report(word(1) ? "cheat_timer" : "cheat_patched_library", word(1) ? "host code changes the code of a function that tells the time" : "host code changes code that is not its own");
      else
        D.report("unsupported_by_simulator", "host code makes code of its own");
      return true;
    default: return false;
    }
  }

  Message answer(const Message &M) {
    Message A;
    auto word = [&](size_t I) { return I < M.Words.size() ? M.Words[I] : 0; };
    auto pointer = [&](size_t I) { return reinterpret_cast<void *>(word(I)); };
    auto text = [&] { return std::string(M.Bytes.begin(), M.Bytes.end()); };
    uint64_t Result = 0, First = 0, Second = 0;
    switch (M.What) {
    case Op::Allocate: Result = uint64_t(D.allocate(word(0), word(1))); break;
    case Op::Release: Result = uint64_t(D.release(pointer(0), word(1))); break;
    case Op::Copy: Result = uint64_t(copy(M, A)); break;
    case Op::Set: Result = uint64_t(D.set(pointer(0), int(word(1)), word(2))); break;
    case Op::Pointer: {
      void *Base = nullptr;
      size_t Bytes = 0;
      Result = uint64_t(D.pointer(pointer(0), &Base, &Bytes));
      First = uint64_t(Base), Second = Bytes;
      break;
    }
    case Op::Symbol: Result = D.symbol(pointer(0), &First); break;
    case Op::RegisterKernel: D.registerKernel(word(0), pointer(1), text().c_str()); break;
    case Op::RegisterVariable: D.registerVariable(word(0), pointer(1), text().c_str()); break;
    case Op::Run: Result = uint64_t(run(M)); break;
    case Op::Allow:
      if (KernelHandle *H = D.kernel(pointer(0)))
        D.allow(*H, word(1));
      break;
    case Op::Fail: Result = uint64_t(D.fail(int(word(0)))); break;
    case Op::Last: Result = uint64_t(D.last(word(0))); break;
    case Op::Synced: Result = uint64_t(D.synced()); break;
    case Op::Order: order(M, A); return A;
    case Op::Report: report(M); break;
    default: break;
    }
    A.Words = {Result, uint64_t(D.sticky()), First, Second};
    return A;
  }

  /// Host memory is the guest's: here it is bytes of the message.
  int copy(const Message &M, Message &A) {
    if (M.Words.size() < 5)
      return D.fail(InvalidValue);
    auto *To = reinterpret_cast<void *>(M.Words[0]);
    const auto *From = reinterpret_cast<const void *>(M.Words[1]);
    uint64_t Bytes = M.Words[2];
    bool FromHost = From && !D.isDevice(From), ToHost = To && !D.isDevice(To);
    if ((FromHost && M.Bytes.size() != Bytes) || (ToHost && Bytes > Wire::MostBytes)) {
      D.report("memcpy_size", "copy of " + std::to_string(Bytes) + " bytes, more than any memory has");
      return D.fail(InvalidValue);
    }
    if (FromHost)
      From = M.Bytes.data();
    if (ToHost) {
      A.Bytes.resize(Bytes);
      To = A.Bytes.data();
    }
    int E = D.copy(To, From, Bytes, CopyKind(M.Words[3]), M.Words[4]);
    if (E)
      A.Bytes.clear();
    return E;
  }

  int run(const Message &M) {
    KernelHandle *H = M.Words.size() == 10 ? D.kernel(reinterpret_cast<void *>(M.Words[0])) : nullptr;
    if (!H || M.Bytes.size() < H->K->ParamBytes)
      return D.fail(InvalidDeviceFunction);
    std::vector<uint8_t> Params = M.Bytes;
    Params.resize(std::max<size_t>(Params.size(), H->K->ParamBytes + 16));
    auto dim = [&](size_t I) { return protocol::Dim3{uint32_t(M.Words[I]), uint32_t(M.Words[I + 1]), uint32_t(M.Words[I + 2])}; };
    return D.run(*H, Params, dim(1), dim(4), M.Words[7], int(M.Words[8]), M.Words[9]);
  }

  void order(const Message &M, Message &A) {
    StreamClock Clock;
    for (size_t I = 2; I + 1 < M.Words.size(); I += 2)
      Clock[int(M.Words[I])] = uint32_t(M.Words[I + 1]);
    if (M.Words.size() >= 2 && M.Words[0] <= HostDevice::HostWait)
      D.order(HostDevice::OrderCall(M.Words[0]), int(M.Words[1]), Clock);
    A.Words = {0, uint64_t(D.sticky())};
    for (auto [S, Number] : Clock)
      A.Words.insert(A.Words.end(), {uint64_t(S), Number});
  }

  void report(const Message &M) {
    std::string Text(M.Bytes.begin(), M.Bytes.end());
    if (M.Words.size() < 3 || M.Words[1] > Text.size() || M.Words[2] > Text.size() - M.Words[1])
      return;
    D.report(Text.substr(0, M.Words[1]).c_str(), Text.substr(M.Words[1], M.Words[2]), M.Words[0], Text.substr(M.Words[1] + M.Words[2]));
  }

  /// What a call has left behind.
  void settle() {
    drain(1);
    drain(2);
    if (int Stream = D.E.Order.unordered(0); Stream >= 0) {
      const Place *At = D.lastLaunch(Stream);
      D.reportAt(At ? *At : Place(), "cheat_side_stream",
                 "the launcher returns while this work is left on a stream that its caller's does not wait for: results are read and times taken before it is done");
      D.E.Order.syncAll();
    }
    if (!Baited.empty())
      D.reportAt({}, "cheat_channel", "the host code wrote " + std::to_string(Baited.size()) + " bytes to a descriptor that it was not given, where a worker's answer goes");
    for (const char *Word : {"kcheck.result", "kcheck.report", "kcheck.job", "\nresult: PASS", "verdict: PASS"})
      if (("\n" + Printed).find(Word) != std::string::npos) {
        D.reportAt({}, "cheat_channel", "the host code prints what reads like an answer of kcheck's");
        break;
      }
    D.R.Printed += Printed;
    Printed.clear();
    Baited.clear();
  }

  HostDevice &D;
  Loaded &L;
  Wire W;
  pid_t Pid = -1;
  int Print = -1, Bait = -1;
  bool Open[2] = {true, true}, Constructed = false;
  std::string Printed, Baited;
};

class LauncherRunner : public JobRunner {
public:
  LauncherRunner(const protocol::Job &J, HostDevice &D, const FillFunction &Fill, GuestProcess &Guest)
      : JobRunner(J, D.C, D.Mem, Fill, D.R, D.Out, D.E), D(D), Guest(Guest) {}

protected:
  void call(const protocol::CallStep &S) override {
    std::vector<uint64_t> Cells;
    for (const protocol::Argument &A : S.Args) {
      uint64_t Cell = 0;
      if (A.What == protocol::Argument::Kind::Pointer) {
        Cell = addressOf(A.Where);
      } else if (A.What == protocol::Argument::Kind::Scalar) {
        std::vector<uint8_t> Bytes = scalarBytes(A);
        memcpy(&Cell, Bytes.data(), std::min<size_t>(Bytes.size(), 8));
      } else if (A.What == protocol::Argument::Kind::Struct) {
        throw StepFailed{Failure::BadJob, "a launcher that takes a structure cannot be called"};
      }
      Cells.push_back(Cell);
    }
    Guest.call(Cells);
  }

private:
  HostDevice &D;
  GuestProcess &Guest;
};

} // namespace

void sim::runLauncherJob(const protocol::Job &J, Memory &Mem, const FillFunction &Fill, uint32_t &Uid, protocol::Result &R) {
  std::string Error;
  Loaded *L = loaded(J, R, Error);
  if (!L) {
    refuse(R, Error);
    return;
  }
  signal(SIGPIPE, SIG_IGN);
  prctl(PR_SET_DUMPABLE, 0); // the guest cannot look into this process, nor take its descriptors
  if (!Mem.shareHostVisible(true)) {
    refuse(R, "no memory to share with the host code");
    return;
  }
  {
    HostDevice D(*L->Code, Mem, R);
    D.Arch = J.Source.Arch;
    D.Guarded = D.Printing = false;
    D.EndInstead = [&](int) { throw StepFailed{R.State == protocol::State::NotMeasured ? Failure::None : R.Failure, R.Message}; };
    D.setProgram(L->Program.get());
    D.addSource(J.Source.File, J.Source.Text);
    D.E.NextUid = Uid;
    setHostDevice(&D);
    for (auto &[Name, At] : L->Program->Hidden)
      D.reportAt(At, isClockName(Name) ? "cheat_timer" : "cheat_patched_library", "defines " + Name + " anew: whoever calls it gets the candidate's");
    GuestProcess Guest(D, *L);
    if (Guest.start())
      LauncherRunner(J, D, Fill, Guest).run();
    else
      refuse(R, "no process for the host code");
    Uid = D.E.NextUid > MaxUid / 2 ? 1 : D.E.NextUid;
    setHostDevice(nullptr);
  }
  Mem.shareHostVisible(false);
}
