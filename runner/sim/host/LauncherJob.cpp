#include "runner/sim/host/LauncherJob.h"
#include "runner/sim/JobRunner.h"
#include "runner/sim/Refusals.h"
#include "runner/sim/host/Guest.h"
#include "runner/guest/Names.h"
#include <csignal>
#include <cstring>
#include <memory>
#include <sys/prctl.h>

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
  L->Program = loadHost({U}, Root, [Code = &L->Code->Code](const std::string &Name) { return resolveForProgram(Name, *Code); }, R.Compile, Error, "kcheck_call");
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
class GuestEnd {
public:
  GuestEnd(HostDevice &D, Loaded &L) : D(D), L(L) {}

  bool start() {
    return Process.start([&](Pipes Ends) { runGuest(D, *L.Program, L.Function, Ends); });
  }

  void call(const std::vector<uint64_t> &Cells) {
    if (!Constructed)
      serve(Op::Ready); // what the candidate's constructors do
    Constructed = true;
    if (!Process.wire().send({Op::Call, Cells, {}, {}}))
      gone();
    serve(Op::Done);
    settle();
  }

private:
  /// Answers until the guest says Last.
  void serve(Op Last) {
    for (;;) {
      if (!Process.wait(D.E.Deadline))
        late();
      Message M;
      switch (Process.wire().receive(M, D.E.Deadline)) {
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
      if (!status(M) && !Process.wire().send(answer(M)))
        gone();
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
    case Op::Allocate: Result = uint64_t(D.allocate(word(0), word(1), word(2) ? std::optional(text()) : std::nullopt)); break;
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
    if (int Stream = D.E.Order.unordered(0); Stream >= 0) {
      const Place *At = D.lastLaunch(Stream);
      D.reportAt(At ? *At : Place(), "cheat_side_stream",
                 "the launcher returns while this work is left on a stream that its caller's does not wait for: results are read and times taken before it is done");
      D.E.Order.syncAll();
    }
    for (const std::string &Message : Process.takeForged())
      D.reportAt({}, "cheat_channel", Message);
    D.R.Printed += Process.takePrinted();
  }

  HostDevice &D;
  Loaded &L;
  GuestProcess Process;
  bool Constructed = false;
};

class LauncherRunner : public JobRunner {
public:
  LauncherRunner(const protocol::Job &J, HostDevice &D, const FillFunction &Fill, GuestEnd &Guest)
      : JobRunner(J, D.C, D.Mem, Fill, D.R, D.Out, D.E), Guest(Guest) {}

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
  GuestEnd &Guest;
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
    GuestEnd Guest(D, *L);
    if (Guest.start())
      LauncherRunner(J, D, Fill, Guest).run();
    else
      refuse(R, "no process for the host code");
    Uid = D.E.NextUid > MaxUid / 2 ? 1 : D.E.NextUid;
    setHostDevice(nullptr);
  }
  Mem.shareHostVisible(false);
}
