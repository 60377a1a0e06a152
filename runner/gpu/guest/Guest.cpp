#include "runner/gpu/guest/Guest.h"
#include "runner/gpu/guest/Calls.h"
#include "runner/guest/Limits.h"
#include "runner/guest/Names.h"
#include "runner/guest/Signals.h"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <exception>
#include <link.h>
#include <memory>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <ucontext.h>
#include <unistd.h>

using namespace kcheck;
using namespace kcheck::gpu;
using guest::Message;
using guest::Op;
using guest::Wire;

Guest &Guest::only() {
  static Guest G;
  return G;
}

static Wire::Clock::time_point farOff() { return Wire::Clock::now() + std::chrono::hours(24); }

Message Guest::ask(Op What, std::vector<uint64_t> Words, std::vector<uint8_t> Bytes) {
  if (What == Op::Run || What == Op::Copy || What == Op::Set)
    giveManaged();
  Asking = true;
  Message A;
  if (!W.send({What, std::move(Words), {}, std::move(Bytes)}) || W.receive(A, farOff()) != Wire::Got::Message || A.Words.size() < 2)
    _exit(1);
  A.Words.resize(std::max<size_t>(A.Words.size(), 4));
  Sticky = int(A.Words[1]);
  Asking = false;
  return A;
}

void Guest::tell(Op What, std::vector<uint64_t> Words, const std::string &Text, std::vector<uint8_t> Bytes) {
  if (Bytes.empty())
    Bytes.assign(Text.begin(), Text.end());
  if (!W.send({What, std::move(Words), {}, std::move(Bytes)}))
    _exit(1);
}

void Guest::report(const char *Tag, const std::string &Text) { tell(Op::Report, {strlen(Tag)}, Tag + Text); }

void Guest::unsupported(const std::string &What) {
  tell(Op::Unsupported, {}, What);
  _exit(0);
}

bool Guest::next(Message &M) { return W.receive(M, farOff()) == Wire::Got::Message && M.What == Op::Call; }

void Guest::tellAtOnce(Op What, std::initializer_list<uint64_t> Words) {
  struct {
    Wire::Head H;
    uint64_t Words[8];
  } M;
  M.H = W.head({});
  M.H.What = uint32_t(What);
  M.H.Words = uint32_t(Words.size());
  std::copy(Words.begin(), Words.end(), M.Words);
  const size_t Bytes = sizeof M.H + 8 * Words.size();
  if (write(W.out(), &M, Bytes) != ssize_t(Bytes))
    _exit(1);
}

int Guest::fail(int Error) {
  if (Error)
    LastError = Error;
  return Error;
}

int Guest::last(bool Clear) {
  int Error = Sticky ? Sticky : LastError;
  if (Clear)
    LastError = 0;
  return Error;
}

void Guest::addRange(uint64_t At, uint64_t Bytes) {
  if (!At || !Bytes || !Ranges.emplace(At, Bytes).second)
    return;
  // Nothing may lie there: an address says on which side memory is, and the host's code faults on the device's.
  auto [From, Size] = pagesOf(At, Bytes);
  void *Want = reinterpret_cast<void *>(From);
  void *Got = mmap(Want, Size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (Got == MAP_FAILED && errno != EEXIST)
    return;
  if (Got != MAP_FAILED && Got != Want)
    munmap(Got, Size);
  Dl_info Of;
  if (Got != Want && dladdr(Want, &Of))
    unsupported("an address of the device at which its own code lies");
}

void Guest::addManaged(uint64_t At, uint64_t Bytes) {
  auto [From, Size] = pagesOf(At, Bytes);
  void *Want = reinterpret_cast<void *>(From);
  if (mmap(Want, Size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0) != Want)
    unsupported("managed memory at an address that is taken");
  Ranges[At] = Bytes;
  Shared[At] = {Bytes, false};
}

bool Guest::dropManaged(uint64_t At) {
  auto It = Shared.find(At);
  if (It == Shared.end())
    return false;
  auto [From, Size] = pagesOf(At, It->second.Bytes);
  munmap(reinterpret_cast<void *>(From), Size);
  Shared.erase(It);
  return true;
}

uint64_t Guest::managedAt(uint64_t Address) const {
  auto It = Shared.upper_bound(Address);
  return It != Shared.begin() && Address - std::prev(It)->first < std::prev(It)->second.Bytes ? std::prev(It)->first : 0;
}

bool Guest::fetchManaged(uint64_t Address) {
  std::lock_guard<std::recursive_mutex> Held(Lock);
  uint64_t At = managedAt(Address);
  if (!At)
    return false;
  Managed &M = Shared[At];
  if (M.Here) // another thread has fetched it, or the access is none of reading or writing
    return true;
  Message A = ask(Op::Fetch, {At, M.Bytes});
  if (A.Words[0] || A.Bytes.size() != M.Bytes)
    return false;
  auto [From, Size] = pagesOf(At, M.Bytes);
  mprotect(reinterpret_cast<void *>(From), Size, PROT_READ | PROT_WRITE);
  memcpy(reinterpret_cast<void *>(At), A.Bytes.data(), M.Bytes);
  M.Here = true;
  return true;
}

/// What this process has of managed memory goes to the device, which is about to work.
void Guest::giveManaged() {
  for (auto &[At, M] : Shared) {
    if (!M.Here)
      continue;
    M.Here = false;
    const auto *Content = reinterpret_cast<const uint8_t *>(At);
    ask(Op::Copy, {At, 0, M.Bytes, 0, 0, 1, M.Bytes, M.Bytes}, {Content, Content + M.Bytes});
    auto [From, Size] = pagesOf(At, M.Bytes);
    mprotect(reinterpret_cast<void *>(From), Size, PROT_NONE);
  }
}

bool Guest::isDevice(const void *P) const {
  auto It = Ranges.upper_bound(uint64_t(P));
  return It != Ranges.begin() && uint64_t(P) - std::prev(It)->first <= std::prev(It)->second; // one past the end too
}

namespace {

/// Whether the page holds a function that tells the time, as far as names are known.
bool holdsClock(uint64_t From, uint64_t Bytes) {
  for (const char *Name : {"clock_gettime", "gettimeofday", "clock", "time", "_ZNSt6chrono3_V212steady_clock3nowEv", "_ZNSt6chrono3_V212system_clock3nowEv",
                           "cudaEventElapsedTime", "cudaEventRecord", "cudaEventSynchronize", "cudaDeviceSynchronize"})
    if (uint64_t At = uint64_t(dlsym(RTLD_DEFAULT, Name)); At >= From && At < From + Bytes)
      return true;
  return false;
}

void onSignal(int Signal, siginfo_t *Info, void *Context) {
  auto &G = static_cast<ucontext_t *>(Context)->uc_mcontext.gregs;
  if (Signal == SIGSYS) { // a refused change of what is executable: the call fails
    uint64_t From = uint64_t(G[REG_RDI]), Bytes = std::min<uint64_t>(uint64_t(G[REG_RSI]), 1 << 20);
    Dl_info Of;
    bool Loaded = dladdr(reinterpret_cast<void *>(From), &Of) != 0;
    G[REG_RAX] = -EACCES;
    return Guest::only().tellAtOnce(Op::Patches, {Loaded, holdsClock(From, Bytes)});
  }
  bool Known = Info->si_code > 0;
  if (Signal == SIGSEGV && Known && Guest::only().fetchManaged(uint64_t(Info->si_addr)))
    return;
  Guest::only().tellAtOnce(Op::Crashed, {uint64_t(Signal), Known ? uint64_t(Info->si_addr) : 0, (G[REG_ERR] & 2) != 0, Guest::only().Asking});
  _exit(1);
}

/// Names of the runtime's and of clocks that the library defines itself: whoever calls them could get the candidate's.
void reportHidden(void *Library) {
  link_map *Map = nullptr;
  if (dlinfo(Library, RTLD_DI_LINKMAP, &Map) || !Map)
    return;
  const ElfW(Sym) *Symbols = nullptr;
  const char *Strings = nullptr;
  for (const ElfW(Dyn) *D = Map->l_ld; D->d_tag != DT_NULL; ++D) {
    if (D->d_tag == DT_SYMTAB)
      Symbols = reinterpret_cast<const ElfW(Sym) *>(D->d_un.d_ptr);
    if (D->d_tag == DT_STRTAB)
      Strings = reinterpret_cast<const char *>(D->d_un.d_ptr);
  }
  // Linkers put the strings right behind the symbols.
  for (const ElfW(Sym) *S = Symbols; S && Strings && reinterpret_cast<const char *>(S) + sizeof *S <= Strings; ++S) {
    std::string Name = S->st_shndx == SHN_UNDEF ? "" : Strings + S->st_name;
    if (guest::isRuntimeName(Name))
      Guest::only().report(guest::isClockName(Name) ? "cheat_timer" : "cheat_patched_library", "defines " + Name + " anew: whoever calls it gets the candidate's");
  }
}

void *load(const std::string &Library) {
  if (void *Code = dlopen(Library.c_str(), RTLD_NOW | RTLD_GLOBAL))
    return Code;
  std::string Why = dlerror();
  size_t Name = Why.find("undefined symbol: ");
  Guest::only().unsupported(Name == std::string::npos ? "to be loaded: " + Why : Why.substr(Name + 18));
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

/// Host memory that stands for a buffer during a call, with an unreadable page at its end.
struct HostBuffer {
  explicit HostBuffer(uint64_t Bytes) : Bytes(Bytes) {
    Pages = (Bytes + 4095) & ~uint64_t(4095);
    Base = static_cast<char *>(mmap(nullptr, Pages + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (Base == MAP_FAILED)
      _exit(1);
    mprotect(Base + Pages, 4096, PROT_NONE);
  }
  ~HostBuffer() { munmap(Base, Pages + 4096); }
  char *data() const { return Base + ((Pages - Bytes) & ~uint64_t(15)); }
  uint64_t Bytes, Pages;
  char *Base;
};

/// Calls Function with the cells of a message; gives back the content of the host buffers that it may have written.
std::vector<uint8_t> callWith(void (*Function)(void **), const Message &M) {
  std::vector<std::unique_ptr<HostBuffer>> Host;
  std::vector<uint64_t> Cells;
  std::vector<HostBuffer *> Written;
  uint64_t At = 0;
  for (size_t I = 0; I + 2 < M.Words.size(); I += 3) {
    uint64_t Kind = M.Words[I], Value = M.Words[I + 1], Bytes = M.Words[I + 2];
    if (Kind == CellDevice)
      Guest::only().addRange(Value, Bytes);
    if (Kind == CellHost) {
      Host.push_back(std::make_unique<HostBuffer>(Bytes));
      memcpy(Host.back()->data(), M.Bytes.data() + At, Bytes);
      At += Bytes;
      if (Value)
        Written.push_back(Host.back().get());
      Value = uint64_t(Host.back()->data());
    }
    Cells.push_back(Value);
  }
  std::vector<void *> Arguments;
  for (uint64_t &C : Cells)
    Arguments.push_back(&C);
  Function(Arguments.data());
  fflush(nullptr);
  std::vector<uint8_t> Content;
  for (HostBuffer *B : Written)
    Content.insert(Content.end(), B->data(), B->data() + B->Bytes);
  return Content;
}

} // namespace

void gpu::runGuest(const std::vector<std::string> &Libraries, Wire W, const std::function<std::string()> &Confine) {
  Guest &G = Guest::only();
  G.open(W);
  if (std::string Why = Confine(); !Why.empty())
    G.unsupported("to be run here: " + Why);
  prctl(PR_SET_PDEATHSIG, SIGKILL); // which another user number would have forgotten
  guest::handleOnOwnStack(onSignal, {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS});
  if (!guest::limitGuest(guest::NewCode::Libraries))
    _exit(1);
  try {
    void *Code = nullptr;
    for (const std::string &Library : Libraries)
      Code = load(Library);
    auto *Function = reinterpret_cast<void (*)(void **)>(dlsym(Code, "kcheck_call"));
    if (!Function)
      G.unsupported("a launcher that cannot be called");
    reportHidden(Code);
    if (!guest::refuseNewCode())
      _exit(1);
    G.tell(Op::Ready);
    for (Message M; G.next(M);)
      G.tell(Op::Done, {}, "", callWith(Function, M));
  } catch (...) {
    G.tell(Op::Threw, {}, whatOf(std::current_exception()));
  }
  _exit(0);
}
