#include "runner/sim/host/HostDevice.h"
#include "runner/sim/host/ShimSupport.h"
#include "runner/sim/Shadow.h"
#include "runner/sim/Transfers.h"
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <unistd.h>

using namespace kcheck;
using namespace kcheck::sim;

int OpenMemory::Depth = 0;

CallSite &sim::currentCall() {
  thread_local CallSite Site;
  return Site;
}

HostDevice::HostDevice(Compiled &C, Memory &Mem, protocol::Result &R) : C(C), Mem(Mem), Out(C.Code), E(C.Code, Mem, Out), R(R) {
  Mem.reserveModule(C.Code.GlobalEnd);
  for (const Variable &V : C.Code.Variables) {
    if (V.Shared)
      continue;
    Mem.place(V.Name, V.Address, V.Bytes, V.ElementBytes, true, V.Constant);
    if (!V.Initial.empty())
      if (void *From = C.address(V.Initial))
        memcpy(reinterpret_cast<void *>(DataBase + V.Address), From, V.Bytes);
  }
}

//===--- where the program stands -------------------------------------------===//

std::vector<uint64_t> HostDevice::callers(const CallSite &Site) const {
  std::vector<uint64_t> Out = Site.Callers;
  void **Frame = Site.Frame;
  uint64_t Pc = Site.Pc;
  for (unsigned I = 0; I < 24 && Pc && Program; ++I) {
    if (Program->isCode(Pc - 1))
      Out.push_back(Pc - 1);
    if (!Frame)
      break;
    void **Up = static_cast<void **>(Frame[0]);
    // The chain of frames ends where code without frame pointers called.
    if (Up <= Frame || uint64_t(Up) - uint64_t(Frame) > (1u << 20) || uint64_t(Up) & 7)
      break;
    Pc = uint64_t(Up[1]);
    Frame = Up;
  }
  return Out;
}

Place HostDevice::placeOf(const CallSite &Site) const {
  if (Program)
    for (uint64_t Pc : callers(Site))
      if (Place P = Program->placeOf(Pc); P.Line)
        return P;
  return {};
}

Place HostDevice::here() const { return placeOf(currentCall()); }

void HostDevice::addSource(const std::string &File, const std::string &Text) {
  std::vector<std::string> &Lines = Sources[File];
  Lines.clear();
  std::istringstream In(Text);
  for (std::string L; std::getline(In, L);)
    Lines.push_back(L);
}

const std::string &HostDevice::source(const std::string &File, unsigned Line) {
  static const std::string Nothing;
  auto It = Sources.find(File);
  if (It == Sources.end()) {
    std::ifstream In(File);
    std::stringstream Text;
    Text << In.rdbuf();
    addSource(File, Text.str());
    It = Sources.find(File);
  }
  return Line && Line <= It->second.size() ? It->second[Line - 1] : Nothing;
}

/// What the program calls the memory: the variable whose address the call takes.
/// "y" of `auto y = torch::empty_like(x);`
static std::string assignedName(const std::string &Text) {
  size_t End = Text.find('=');
  if (End == std::string::npos || End + 1 >= Text.size() || Text[End + 1] == '=')
    return "";
  while (End && isspace(static_cast<unsigned char>(Text[End - 1])))
    --End;
  size_t Begin = End;
  while (Begin && (isalnum(static_cast<unsigned char>(Text[Begin - 1])) || Text[Begin - 1] == '_'))
    --Begin;
  return Text.substr(Begin, End - Begin);
}

std::string HostDevice::nameFor(const Place &At, const char *Call) {
  const std::string &Text = source(At.File, At.Line);
  if (!*Call)
    if (std::string Name = assignedName(Text); !Name.empty())
      return Name;
  size_t From = Text.find(Call, At.Column ? At.Column - 1 : 0); // of several calls in a line the one that stands there
  if (From == std::string::npos)
    From = Text.find(Call);
  size_t Amp = Text.find('&', From == std::string::npos ? 0 : From);
  if (Amp != std::string::npos) {
    std::string Name;
    for (size_t I = Amp + 1; I < Text.size(); ++I) {
      char Ch = Text[I];
      if (isalnum(Ch) || strchr("_.[]>-:", Ch))
        Name += Ch;
      else if (Ch != '(' || !Name.empty())
        break;
    }
    while (!Name.empty() && strchr("->.:", Name.back()))
      Name.pop_back();
    if (!Name.empty())
      return Name;
  }
  return At.Line ? "memory of line " + std::to_string(At.Line) : "memory";
}

void HostDevice::reportAt(const Place &At, const char *Tag, const std::string &Message, bool Sure, const std::string &Buffer) {
  Out.addAt(Tag, At, [&](protocol::Finding &F) {
    F.Message = Message;
    F.Sure = Sure;
    F.Buffer = Buffer;
  });
}

void HostDevice::report(const char *Tag, const std::string &Message, bool Sure, const std::string &Buffer) {
  if (Link)
    return Link->report(Tag, Message, Sure, Buffer);
  reportAt(here(), Tag, Message, Sure, Buffer);
}

void HostDevice::unsupported(const std::string &What) {
  if (Link)
    Link->unsupported(What);
  report("unsupported_by_simulator", "the simulator does not know " + What);
  R.State = protocol::State::Failed;
  R.Failure = protocol::Failure::Unsupported;
  R.Message = "the simulator does not know " + What;
  end(1);
}

void HostDevice::end(int Status) {
  if (EndInstead)
    EndInstead(Status);
  endProgram(Status);
}

//===--- errors -------------------------------------------------------------===//

int HostDevice::fail(int Error) {
  if (Link)
    return Link->fail(Error);
  if (Error)
    LastError = Error;
  return Error;
}

int HostDevice::synced() {
  if (Link)
    return Link->synced();
  LaunchFailed = false;
  return Sticky;
}

int HostDevice::last(bool Clear) {
  if (Link)
    return Link->last(Clear);
  LaunchFailed = false;
  int Error = Sticky ? Sticky : LastError;
  if (Clear)
    LastError = 0;
  return Error;
}

//===--- memory -------------------------------------------------------------===//

bool HostDevice::isDevice(const void *P) const { return uint64_t(P) - DataBase < DataSize; }

void *HostDevice::allocate(uint64_t Bytes, bool HostVisible, std::optional<std::string> Name) {
  if (Link)
    return Link->allocate(Bytes, HostVisible, Name);
  OpenMemory Open(*this);
  Place At = here();
  const char *Call = HostVisible ? "Host" : "Malloc";
  // Content from the host is not seen by the checks: such memory counts as written.
  return reinterpret_cast<void *>(Mem.allocate(Name && !Name->empty() ? *Name : nameFor(At, Name ? "" : Call), Bytes, 0, HostVisible, HostVisible, std::max(At.Line, 1u), At.File));
}

int HostDevice::pointer(const void *P, void **Base, size_t *Bytes) {
  if (!isDevice(P))
    return 0;
  if (Link)
    return Link->pointer(P, Base, Bytes);
  const Allocation *A = find(P);
  if (!A || A->Freed)
    return 0;
  *Base = reinterpret_cast<void *>(DataBase + A->Offset);
  *Bytes = A->Bytes;
  return A->HostVisible ? 1 : 2;
}

int HostDevice::release(void *P, bool HostVisible, bool Waits) {
  if (!P)
    return Success;
  if (Link)
    return Link->release(P, HostVisible);
  OpenMemory Open(*this);
  const Allocation *A = find(P);
  if (!A) {
    report("double_free", "frees an address that is no memory of the device");
    return fail(InvalidValue);
  }
  std::string Name = A->Name;
  if (A->Freed) {
    report("double_free", Name + " is freed again", true, Name);
    return fail(InvalidValue);
  }
  if (uint64_t(P) != DataBase + A->Offset) {
    report("double_free", "frees an address inside of " + Name + ", not its start", true, Name);
    return fail(InvalidValue);
  }
  Mem.release(uint64_t(P));
  if (Waits)
    E.Order.syncAll();
  return Success;
}

void HostDevice::transfer(const char *Call, int Stream, bool Waits, const void *To, const void *From, uint64_t Bytes, uint64_t ToPitch, uint64_t FromPitch, uint64_t Rows) {
  constexpr uint64_t MostRows = 1 << 16;
  if (Link || Sticky)
    return;
  std::vector<TransferRange> Ranges;
  for (uint64_t Y = 0; Y < std::min(Rows, MostRows); ++Y) {
    if (isDevice(To))
      Ranges.push_back({uint64_t(To) - DataBase + Y * ToPitch, Bytes, true});
    if (isDevice(From))
      Ranges.push_back({uint64_t(From) - DataBase + Y * FromPitch, Bytes, false});
  }
  beginTransfer(E, Call, here(), Stream, Waits, std::move(Ranges));
}

bool HostDevice::range(const void *P, uint64_t Bytes, const char *What) {
  if (!isDevice(P) || !Bytes || Memory::exists(uint64_t(P) - DataBase, Bytes))
    return true;
  const Allocation *A = Mem.find(uint64_t(P));
  if (!A)
    A = Mem.nearest(uint64_t(P));
  if (!A) {
    report("memcpy_size", std::string(What) + " of " + std::to_string(Bytes) + " bytes at an address that belongs to no memory");
    return false;
  }
  if (A->Freed) {
    report("use_after_free", std::string(What) + " of " + std::to_string(Bytes) + " bytes: " + A->Name + " was freed", true, A->Name);
    return false;
  }
  uint64_t At = uint64_t(P) - DataBase - A->Offset;
  report("memcpy_size", std::string(What) + " of " + std::to_string(Bytes) + " bytes" + (At && At < A->Bytes ? " from byte " + std::to_string(At) : "") +
                            " leaves " + A->Name + ", which has " + std::to_string(A->Bytes) + " bytes", true, A->Name);
  return false;
}

bool HostDevice::direction(const void *To, const void *From, CopyKind Kind) {
  auto side = [&](const void *P) -> int { // 0 host, 1 device, 2 both
    const Allocation *A = find(P);
    return !isDevice(P) ? 0 : A && A->HostVisible ? 2 : 1;
  };
  int T = side(To), F = side(From);
  auto is = [](int Side, int Want) { return Side == 2 || Side == Want; };
  bool Good = true;
  switch (Kind) {
  case CopyKind::HostToHost: Good = is(T, 0) && is(F, 0); break;
  case CopyKind::HostToDevice: Good = is(T, 1) && is(F, 0); break;
  case CopyKind::DeviceToHost: Good = is(T, 0) && is(F, 1); break;
  case CopyKind::DeviceToDevice: Good = is(T, 1) && is(F, 1); break;
  case CopyKind::Default: break;
  }
  if (Good)
    return true;
  static const char *const Names[] = {"host to host", "host to device", "device to host", "device to device", "default"};
  auto word = [](int Side) { return Side ? "device memory" : "host memory"; };
  report("memcpy_direction", std::string("copy ") + Names[int(Kind)] + ", but the target is " + word(T) + " and the source is " + word(F));
  return false;
}

int HostDevice::copy(void *To, const void *From, uint64_t Bytes, CopyKind Kind, bool Async) {
  if (Dry) {
    if (Kind == CopyKind::DeviceToHost)
      memset(To, 0, Bytes);
    return Success;
  }
  if (Link)
    return Link->copy(To, From, Bytes, Kind, Async);
  if (Sticky)
    return Sticky;
  if (!Bytes)
    return Success;
  if (int(Kind) < 0 || int(Kind) > 4)
    return fail(InvalidMemcpyDirection);
  if (!To || !From) {
    report("null_access", std::string("copy of ") + std::to_string(Bytes) + " bytes " + (To ? "from" : "to") + " a null pointer");
    return fail(InvalidValue);
  }
  OpenMemory Open(*this);
  if (!direction(To, From, Kind))
    return fail(InvalidValue);
  if (!range(To, Bytes, "copy") || !range(From, Bytes, "copy"))
    return fail(InvalidValue);
  memmove(To, From, Bytes);
  if (isDevice(To)) {
    uint64_t Off = uint64_t(To) - DataBase;
    if (isDevice(From) && !Memory::written(uint64_t(From) - DataBase, Bytes)) {
      // What was not written stays so in the copy.
      for (uint64_t I = 0; I < Bytes; ++I)
        Memory::mark(Off + I, 1, true, Memory::written(uint64_t(From) - DataBase + I, 1));
    } else {
      Memory::markWritten(Off, Bytes);
    }
  }
  if (!Async)
    E.Order.sync(0);
  return Success;
}

int HostDevice::set(void *To, int Value, uint64_t Bytes) {
  if (Dry)
    return Success;
  if (Link)
    return Link->set(To, Value, Bytes);
  if (Sticky)
    return Sticky;
  if (!Bytes)
    return Success;
  if (!isDevice(To)) {
    report(To ? "memcpy_direction" : "null_access", To ? "cudaMemset of host memory" : "cudaMemset of a null pointer");
    return fail(InvalidValue);
  }
  OpenMemory Open(*this);
  if (!range(To, Bytes, "memset"))
    return fail(InvalidValue);
  memset(To, Value, Bytes);
  Memory::markWritten(uint64_t(To) - DataBase, Bytes);
  return Success;
}

uint64_t HostDevice::symbol(const void *Variable, uint64_t *Bytes) {
  if (Link)
    return Link->symbol(Variable, Bytes);
  auto It = Variables.find(Variable);
  if (It == Variables.end())
    return 0;
  for (const auto &V : C.Code.Variables)
    if (!V.Shared && V.Mangled == It->second) {
      if (Bytes)
        *Bytes = V.Bytes;
      return DataBase + V.Address;
    }
  // A variable that no kernel uses is not in the module, but the program may still copy to it.
  return 0;
}

//===--- kernels ------------------------------------------------------------===//

void HostDevice::registerKernel(size_t Unit, const void *Stub, const char *Name) {
  std::string Mangled = Name;
  if (Unit < C.Renamed.size())
    if (auto It = C.Renamed[Unit].find(Mangled); It != C.Renamed[Unit].end())
      Mangled = It->second;
  if (Link)
    Link->registerKernel(Unit, Stub, Name);
  KernelHandle H;
  H.Stub = Stub;
  H.K = C.Code.findKernel(Mangled);
  if (H.K && !Link)
    H.Entry = reinterpret_cast<EntryFunction>(C.address(H.K->Entry));
  Kernels[Stub] = H;
}

void HostDevice::registerVariable(size_t Unit, const void *Host, const char *Name) {
  if (Link)
    Link->registerVariable(Unit, Host, Name);
  std::string Mangled = Name;
  if (Unit < C.Renamed.size())
    if (auto It = C.Renamed[Unit].find(Mangled); It != C.Renamed[Unit].end())
      Mangled = It->second;
  Variables[Host] = Mangled;
}

KernelHandle *HostDevice::kernel(const void *Stub) {
  auto It = Kernels.find(Stub);
  if (Link)
    return It == Kernels.end() || !It->second.K ? nullptr : &It->second; // its code is the other process's
  if (It != Kernels.end() && It->second.K && !It->second.Entry)
    unsupported("a function that the device code calls");
  return It == Kernels.end() || !It->second.Entry ? nullptr : &It->second;
}

void HostDevice::allow(KernelHandle &H, uint64_t MostDynamicShared) {
  H.MostDynamicShared = MostDynamicShared;
  if (Link)
    Link->allow(H.Stub, MostDynamicShared);
}

std::vector<uint8_t> HostDevice::pack(const Kernel &K, void **Args) const {
  std::vector<uint8_t> Params(std::max<uint64_t>(K.ParamBytes, 1) + 16);
  for (size_t I = 0; I < K.Params.size(); ++I)
    memcpy(Params.data() + K.Params[I].Offset, Args[I], K.Params[I].Bytes);
  return Params;
}

int HostDevice::launch(const void *Stub, protocol::Dim3 Grid, protocol::Dim3 Block, void **Args, uint64_t Shared, int Stream, bool Cooperative) {
  KernelHandle *H = kernel(Stub);
  if (!H)
    return fail(InvalidDeviceFunction);
  return run(*H, pack(*H->K, Args), Grid, Block, Shared, Stream, Cooperative);
}

int HostDevice::run(KernelHandle &H, const std::vector<uint8_t> &Params, protocol::Dim3 Grid, protocol::Dim3 Block, uint64_t Shared, int Stream, bool Cooperative) {
  if (sticky())
    return sticky();
  if (Dry) {
    ++LeftOut;
    return Success;
  }
  const Kernel &K = *H.K;
  for (size_t I = 0; I + 8 <= Params.size(); I += 8) {
    uint64_t Word;
    memcpy(&Word, Params.data() + I, 8);
    if (isRegistered(Word))
      unsupported("memory of cudaHostRegister that a kernel reads or writes");
  }
  if (Link)
    return Link->run(H.Stub, Params, Grid, Block, Shared, Stream, Cooperative);
  protocol::LaunchStep S;
  S.Kernel = K.Name;
  S.Grid = Grid;
  S.Block = Block;
  S.SharedBytes = Shared;
  S.Stream = Stream;
  S.Cooperative = Cooperative;
  std::string Why = launchLimits(S, K);
  if (Why.empty() && Shared > H.MostDynamicShared)
    Why = std::to_string(Shared) + " bytes of dynamic shared memory, the kernel's attribute allows " + std::to_string(H.MostDynamicShared);
  if (Why.empty() && Shared + K.StaticShared > 48 * 1024 && H.MostDynamicShared <= 48 * 1024)
    Why = std::to_string(Shared + K.StaticShared) + " bytes of shared memory; more than 49152 need cudaFuncSetAttribute";
  if (!Why.empty()) {
    report("launch_config", "launch of " + K.Name + " fails: " + Why);
    int Error = Why.find("shared") != std::string::npos ? InvalidValue : InvalidConfiguration;
    if (!LaunchFailed)
      LaunchAt = here();
    LaunchFailed = true;
    LaunchWhy = Why;
    return fail(Error);
  }
  if (Grid.count() >= MaxUid / 2) {
    R.State = protocol::State::NotMeasured;
    R.Message = "a launch of " + std::to_string(Grid.count()) + " blocks is more than the simulator runs";
    end(1);
  }
  LastLaunch[Stream] = here();
  OpenMemory Open(*this);
  if (E.NextUid + Grid.count() >= MaxUid) {
    // Block numbers start over: what earlier launches did counts as ordered.
    Mem.forgetAll();
    E.NextUid = 1;
    E.Launches.clear();
    E.RenewedUid.clear();
    E.Order.syncAll();
  }
  protocol::LaunchMetrics Metrics;
  LaunchEnd End = runLaunch(E, K, H.Entry, S, Params, Metrics);
  if (!E.Printed.empty() && Printing) {
    fwrite(E.Printed.data(), 1, E.Printed.size(), stdout);
    E.Printed.clear();
  }
  if (R.Launches.size() < 64) {
    Metrics.HostLine = here().Line;
    R.Launches.push_back(std::move(Metrics));
  }
  if (End.How == Stop::Slow) {
    R.State = protocol::State::NotMeasured;
    R.Message = "not done in time on the simulator (in " + K.Name + ")";
    end(1);
  }
  if (End.How == Stop::No)
    return Success;
  switch (End.Why) {
  case protocol::Failure::Unsupported:
    R.State = protocol::State::Failed;
    R.Failure = End.Why;
    R.Message = End.Message;
    end(1);
  case protocol::Failure::OutOfMemory:
    R.State = protocol::State::NotMeasured;
    R.Message = End.Message;
    end(1);
  case protocol::Failure::Timeout: Sticky = LaunchTimeout; break;
  case protocol::Failure::DeviceAssert: Sticky = Assert; break;
  case protocol::Failure::IllegalAddress: Sticky = IllegalAddress; break;
  default: Sticky = LaunchFailure; break;
  }
  // A launch itself succeeds: the fault shows at the next call.
  return Success;
}

void HostDevice::order(OrderCall What, int Stream, StreamClock &Clock) {
  if (Link)
    return Link->order(What, Stream, Clock);
  switch (What) {
  case Blocking: return E.Order.setBlocking(Stream, true);
  case NonBlocking: return E.Order.setBlocking(Stream, false);
  case Sync: return E.Order.sync(Stream);
  case SyncAll: return E.Order.syncAll();
  case Record: return void(Clock = E.Order.record(Stream));
  case Wait: return E.Order.wait(Stream, Clock);
  case HostWait: return E.Order.hostWait(Clock);
  }
}

void HostDevice::reportCrash(int Signal, uint64_t Address, bool Write, const Place &At, bool InRuntime) {
  R.State = protocol::State::Failed;
  R.Failure = protocol::Failure::Crash;
  if ((Signal == SIGSEGV || Signal == SIGBUS) && Address - DataBase < DataSize && !InRuntime) {
    const Allocation *A = Mem.find(Address);
    std::string Name = A ? A->Name : "an address of the device";
    R.Failure = protocol::Failure::IllegalAddress;
    R.Message = std::string("host code ") + (Write ? "writes to " : "reads from ") + Name + ", which is memory of the device";
    return reportAt(At, "illegal_address", R.Message, true, A ? A->Name : "");
  }
  const char *Name = Signal == SIGSEGV ? "segmentation fault" : Signal == SIGBUS ? "bus error" : Signal == SIGFPE ? "arithmetic exception" : "illegal instruction";
  if (!At.Line) {
    R.Message = std::string(Name) + " outside of the program's own code";
    return;
  }
  char Text[96];
  snprintf(Text, sizeof Text, "%s of the host code at address 0x%llx", Name, (unsigned long long)Address);
  R.Message = Text;
  reportAt(At, "crash", R.Message);
}

void HostDevice::settle() {
  releaseGraphMemory();
  releaseTextureObjects();
  if (LaunchFailed)
    reportAt(LaunchAt, "unchecked_launch_error", "the launch fails (" + LaunchWhy + ") and the program never asks for the error");
  // After a fault of a kernel nothing can be freed any more.
  std::map<unsigned, std::pair<uint64_t, const Allocation *>> ByLine;
  std::vector<Allocation> Live = Sticky ? std::vector<Allocation>() : Mem.live();
  for (const Allocation &A : Live)
    if (A.Line) {
      auto &Entry = ByLine[A.Line];
      Entry.first += A.Bytes;
      Entry.second = &A;
    }
  for (auto &[Line, Entry] : ByLine)
    reportAt({Entry.second->File, Line, 0}, "leak", Entry.second->Name + " (" + std::to_string(Entry.first) + " bytes) is never freed", false, Entry.second->Name);
}
