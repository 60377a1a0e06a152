#include "runner/sim/host/Guest.h"
#include "runner/guest/Limits.h"
#include "runner/guest/Names.h"
#include "runner/guest/Signals.h"
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <exception>
#include <fcntl.h>
#include <mutex>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

using namespace kcheck;
using namespace kcheck::sim;

namespace {

uint64_t word(const void *P) { return reinterpret_cast<uint64_t>(P); }

/// The candidate's end of the wire.
class Guest : public DeviceLink {
public:
  Guest(HostDevice &D, Wire W) : D(D), W(W) {}

  void *allocate(uint64_t Bytes, bool HostVisible, const std::optional<std::string> &Name) override {
    return reinterpret_cast<void *>(ask({Op::Allocate, {Bytes, HostVisible, Name.has_value()}, {}, text(Name.value_or(""))}).Words[0]);
  }
  int release(void *P, bool HostVisible) override { return code(ask({Op::Release, {word(P), HostVisible}, {}, {}})); }

  int copy(void *To, const void *From, uint64_t Bytes, CopyKind Kind, bool Async) override {
    Message M{Op::Copy, {word(To), word(From), Bytes, uint64_t(Kind), Async}, {}, {}};
    // What lies in host memory travels; more than any memory holds is left to the other side to complain about.
    if (From && !D.isDevice(From) && Bytes <= Wire::MostBytes)
      M.Bytes.assign(static_cast<const uint8_t *>(From), static_cast<const uint8_t *>(From) + Bytes);
    Message A = ask(std::move(M));
    if (To && !D.isDevice(To) && A.Bytes.size() == Bytes)
      memcpy(To, A.Bytes.data(), Bytes);
    return code(A);
  }
  int set(void *To, int Value, uint64_t Bytes) override { return code(ask({Op::Set, {word(To), uint64_t(Value), Bytes}, {}, {}})); }
  int pointer(const void *P, void **Base, size_t *Bytes) override {
    Message A = ask({Op::Pointer, {word(P)}, {}, {}});
    *Base = reinterpret_cast<void *>(A.Words[2]);
    *Bytes = A.Words[3];
    return code(A);
  }
  uint64_t symbol(const void *Variable, uint64_t *Bytes) override {
    Message A = ask({Op::Symbol, {word(Variable)}, {}, {}});
    if (Bytes)
      *Bytes = A.Words[2];
    return A.Words[0];
  }
  void registerKernel(size_t Unit, const void *Stub, const char *Name) override { ask({Op::RegisterKernel, {Unit, word(Stub)}, {}, text(Name)}); }
  void registerVariable(size_t Unit, const void *Host, const char *Name) override { ask({Op::RegisterVariable, {Unit, word(Host)}, {}, text(Name)}); }
  int run(const void *Stub, const std::vector<uint8_t> &Params, protocol::Dim3 Grid, protocol::Dim3 Block, uint64_t Shared, int Stream, bool Cooperative) override {
    return code(ask({Op::Run, {word(Stub), Grid.X, Grid.Y, Grid.Z, Block.X, Block.Y, Block.Z, Shared, uint64_t(Stream), Cooperative}, {}, Params}));
  }
  int allow(const void *Stub, uint64_t MostDynamicShared) override { return code(ask({Op::Allow, {word(Stub), MostDynamicShared}, {}, {}})); }
  int fail(int Error) override { return code(ask({Op::Fail, {uint64_t(Error)}, {}, {}})); }
  int last(bool Clear) override { return code(ask({Op::Last, {Clear}, {}, {}})); }
  int sticky() const override { return Sticky; }
  int synced() override { return code(ask({Op::Synced, {}, {}, {}})); }
  void order(int What, int Stream, StreamClock &Clock) override {
    Message M{Op::Order, {uint64_t(What), uint64_t(Stream)}, {}, {}};
    for (auto [S, Number] : Clock)
      M.Words.insert(M.Words.end(), {uint64_t(S), Number});
    Message A = ask(std::move(M));
    Clock.clear();
    for (size_t I = 2; I + 1 < A.Words.size(); I += 2)
      Clock[int(A.Words[I])] = uint32_t(A.Words[I + 1]);
  }
  void report(const char *Tag, const std::string &Message, bool Sure, const std::string &Buffer) override {
    ask({Op::Report, {Sure, strlen(Tag), Message.size()}, {}, text(Tag + Message + Buffer)});
  }
  [[noreturn]] void unsupported(const std::string &What) override { last(Op::Unsupported, {}, What); }
  [[noreturn]] void exits(int Status) override { last(Op::Exits, {uint64_t(Status)}, ""); }

  /// Says something that has no answer.
  void tell(Op What, std::vector<uint64_t> Words = {}, const std::string &Text = "") {
    std::lock_guard<std::recursive_mutex> Guard(Lock);
    if (!W.send({What, std::move(Words), D.callers(currentCall()), text(Text)}))
      _exit(1);
  }
  /// The next call, into Cells. False: there is none.
  bool next(std::vector<uint64_t> &Cells) {
    Message M;
    if (W.receive(M, Wire::Clock::now() + std::chrono::hours(24)) != Wire::Got::Message || M.What != Op::Call)
      return false;
    Cells = std::move(M.Words);
    return true;
  }
  /// From a signal handler: no allocation, no lock.
  void tellAtOnce(Op What, std::initializer_list<uint64_t> Words, const uint64_t *Callers, uint32_t Count) {
    struct {
      Wire::Head H;
      uint64_t Words[32];
    } M;
    M.H = W.head({});
    M.H.What = uint32_t(What);
    M.H.Words = uint32_t(Words.size());
    M.H.Callers = std::min<uint32_t>(Count, 16);
    uint64_t *At = std::copy(Words.begin(), Words.end(), M.Words);
    std::copy_n(Callers, M.H.Callers, At);
    const size_t Bytes = sizeof M.H + 8 * (M.H.Words + M.H.Callers);
    if (write(W.out(), &M, Bytes) != ssize_t(Bytes))
      _exit(1);
  }
  const HostDevice &device() const { return D; }
  bool asking() const { return Asking; }

private:
  static int code(const Message &A) { return int(A.Words[0]); }
  static std::vector<uint8_t> text(const std::string &S) { return {S.begin(), S.end()}; }

  /// Answers have the result, the device's lasting error, and what the call gives.
  Message ask(Message M) {
    std::lock_guard<std::recursive_mutex> Guard(Lock);
    Asking = true;
    M.Callers = D.callers(currentCall());
    Message A;
    if (!W.send(M) || W.receive(A, Wire::Clock::now() + std::chrono::hours(24)) != Wire::Got::Message || A.Words.size() < 2)
      _exit(1);
    A.Words.resize(std::max<size_t>(A.Words.size(), 4));
    Sticky = int(A.Words[1]);
    Asking = false;
    return A;
  }
  [[noreturn]] void last(Op What, std::vector<uint64_t> Words, const std::string &Text) {
    tell(What, std::move(Words), Text);
    _exit(0);
  }

  HostDevice &D;
  Wire W;
  std::recursive_mutex Lock;
  int Sticky = 0;
  bool Asking = false;
};

Guest *Only = nullptr;

/// The program's addresses on the way to the place of a signal.
uint32_t callersOf(const ucontext_t *U, bool SystemCall, uint64_t *Out, uint32_t Most) {
  uint64_t Pc = uint64_t(U->uc_mcontext.gregs[REG_RIP]);
  auto **Frame = reinterpret_cast<void **>(U->uc_mcontext.gregs[REG_RBP]);
  const HostProgram *P = Only->device().Program;
  uint32_t N = 0;
  if (P->isCode(Pc))
    Out[N++] = Pc;
  auto Here = uint64_t(U->uc_mcontext.gregs[REG_RSP]);
  // Where the C library's function for a system call was called from.
  if (uint64_t Above = SystemCall ? *reinterpret_cast<const uint64_t *>(Here) : 0; Above && !N && P->isCode(Above - 1))
    Out[N++] = Above - 1;
  for (unsigned I = 0; I < 16 && N < Most; ++I) {
    // Frames of code without frame pointers end the walk; it must not fault.
    if (uint64_t(Frame) < Here || uint64_t(Frame) - Here > (1u << 20) || uint64_t(Frame) & 7)
      break;
    Pc = uint64_t(Frame[1]);
    if (P->isCode(Pc - 1))
      Out[N++] = Pc - 1;
    Here = uint64_t(Frame) + 1;
    Frame = static_cast<void **>(Frame[0]);
  }
  return N;
}

/// Whether the page holds a function that tells the time, as far as names are known.
bool holdsClock(uint64_t From, uint64_t Bytes) {
  for (const char *Name : {"clock_gettime", "gettimeofday", "clock", "time", "_ZNSt6chrono3_V212steady_clock3nowEv", "_ZNSt6chrono3_V212system_clock3nowEv"})
    if (uint64_t At = word(dlsym(RTLD_DEFAULT, Name)); At >= From && At < From + Bytes)
      return true;
  for (const char *Name : {"cudaEventElapsedTime", "cudaEventRecord", "cudaEventSynchronize", "cudaDeviceSynchronize"})
    if (uint64_t At = word(resolveForProgram(Name, Only->device().C.Code)); At >= From && At < From + Bytes)
      return true;
  return false;
}

void onSignal(int Signal, siginfo_t *Info, void *Context) {
  auto *U = static_cast<ucontext_t *>(Context);
  uint64_t Callers[16];
  uint32_t N = callersOf(U, Signal == SIGSYS, Callers, 16);
  if (Signal == SIGSYS) { // a refused change of what is executable: the call fails
    auto &G = U->uc_mcontext.gregs;
    uint64_t From = uint64_t(G[REG_RDI]), Bytes = uint64_t(G[REG_RSI]);
    Dl_info Of;
    bool Loaded = dladdr(reinterpret_cast<void *>(From), &Of) != 0;
    for (uint64_t At = From; !Loaded && At < From + Bytes && At < From + (1 << 20); At += 64)
      Loaded = Only->device().Program->isCode(At);
    G[REG_RAX] = -EACCES;
    return Only->tellAtOnce(Op::Patches, {Loaded, holdsClock(From, std::min<uint64_t>(Bytes, 1 << 20))}, Callers, N);
  }
  bool Known = Info->si_code > 0;
  Only->tellAtOnce(Op::Crashed, {uint64_t(Signal), Known ? word(Info->si_addr) : 0, (U->uc_mcontext.gregs[REG_ERR] & 2) != 0, Only->asking()}, Callers, N);
  _exit(1);
}

std::string whatOf(std::exception_ptr E) {
  try {
    std::rethrow_exception(E);
  } catch (const std::exception &X) {
    return X.what();
  } catch (...) {
    return "";
  }
}

} // namespace

void kcheck::sim::runGuest(HostDevice &D, HostProgram &P, void (*Function)(void **), Pipes Ends) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  static Guest G(D, arrange(Ends));
  Only = &G;
  D.Link = &G;
  D.Guarded = false;
  handleOnOwnStack(onSignal, {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS});
  D.Mem.guard(true);
  if (!limitGuest())
    _exit(1);
  try {
    for (auto &Names : P.Constructors)
      for (const std::string &Name : Names)
        if (auto *F = reinterpret_cast<void (*)()>(P.address(Name)))
          F();
    G.tell(Op::Ready);
    for (std::vector<uint64_t> Cells; G.next(Cells);) {
      std::vector<void *> Arguments;
      for (uint64_t &C : Cells)
        Arguments.push_back(&C);
      Function(Arguments.data());
      fflush(nullptr);
      G.tell(Op::Done);
    }
  } catch (...) {
    G.tell(Op::Threw, {}, whatOf(std::current_exception()));
  }
  _exit(0);
}
