#include "runner/gpu/HostCode.h"
#include "runner/gpu/Compile.h"
#include "runner/gpu/guest/Calls.h"
#include "runner/guest/Errors.h"
#include "runner/ops/Generate.h"
#include <algorithm>
#include <csignal>
#include <cstring>
#include <cxxabi.h>
#include <iterator>
#include <sys/stat.h>
#include <unistd.h>

using namespace kcheck;
using namespace kcheck::gpu;
using guest::Op;
using guest::Wire;
using protocol::Failure;
using protocol::Finding;
using protocol::Role;

bool gpu::callsHost(const std::vector<protocol::Step> &Steps) {
  return std::any_of(Steps.begin(), Steps.end(), [](const protocol::Step &S) { return std::holds_alternative<protocol::CallStep>(S.Do); });
}

static uint64_t word(const guest::Message &M, size_t I) { return I < M.Words.size() ? M.Words[I] : 0; }
static std::string text(const guest::Message &M) { return {M.Bytes.begin(), M.Bytes.end()}; }

/// The program beside this one.
static std::string guestProgram() {
  char Self[4096];
  ssize_t N = readlink("/proc/self/exe", Self, sizeof Self - 1);
  std::string Path(Self, size_t(std::max<ssize_t>(N, 0)));
  return Path.substr(0, Path.rfind('/') + 1) + "kcheck-gpu-guest";
}

HostCode::HostCode(Device &G, const protocol::Job &J, Loaded &Code, protocol::Result &R) : G(G), J(J), Code(Code), R(R), Next(FirstStream), Out(&Early) {
  std::string Program = guestProgram(), Library = Folder.path() + "/host.so", Glue = Folder.path() + "/glue.so";
  if (access(Program.c_str(), X_OK) != 0)
    throw Failed{Failure::NoWorker, Program + " is not there: no host code can be run"};
  if (!Folder.write("host.so", Code.binary().Host) || !Folder.write("glue.so", Code.binary().Glue))
    throw Failed{Failure::NoWorker, "the candidate's host code cannot be written to " + Folder.path()};
  chmod(Folder.path().c_str(), 0755); // the process may be nobody; there is nothing in it but the candidate's own code
  G.check(G.api().eventCreate(&Begun, 2), "making an event"); // without a time
  bool Started = Process.start([&](guest::Pipes Ends) {
    Wire W = guest::arrange(Ends);
    char In[16], To[16];
    snprintf(In, sizeof In, "%d", W.in());
    snprintf(To, sizeof To, "%d", W.out());
    execl(Program.c_str(), "kcheck-gpu-guest", In, To, Glue.c_str(), Library.c_str(), static_cast<char *>(nullptr));
  });
  if (!Started)
    throw Failed{Failure::NoWorker, "no process for the host code"};
  try {
    serve(Op::Ready);
  } catch (const Failed &) {
    std::move(Early.begin(), Early.end(), std::back_inserter(R.Findings));
    throw;
  }
}

HostCode::~HostCode() {
  Process.end();
  if (G.lost())
    return;
  for (auto &[Number, S] : Streams)
    G.api().streamDestroy(S);
  for (auto &[Number, E] : Events)
    G.api().eventDestroy(E.E);
  for (uint64_t Object : Textures)
    G.api().textureDestroy(Object);
  if (Begun)
    G.api().eventDestroy(Begun);
}

void HostCode::report(const std::string &Tag, const std::string &Message, bool Sure) {
  for (const Finding &F : *Out)
    if (F.Tag == Tag && F.Message == Message)
      return;
  Finding F;
  F.Tag = Tag;
  F.Message = Message;
  F.Where.File = J.Source.File;
  F.Sure = Sure;
  Out->push_back(std::move(F));
}

//===--- a call ---------------------------------------------------------------===//

void HostCode::beginStream(Stream S) { G.check(G.api().streamWaitEvent(S, Begun, 0), "starting a stream"); }

void HostCode::call(const protocol::CallStep &S, Buffers &B, const std::vector<protocol::Buffer> &Declared, const FillBytes &F, std::vector<Finding> &To) {
  Out = &To;
  Fill = F;
  std::move(Early.begin(), Early.end(), std::back_inserter(To));
  Early.clear();
  std::map<DevicePtr, std::pair<uint64_t, std::string>> Before = Known; // buffers are the call's, variables and memory its own
  std::vector<const protocol::Buffer *> Back;
  Message M;
  M.What = Op::Call;
  auto cell = [&](CellKind Kind, uint64_t Value, uint64_t Bytes = 0) { M.Words.insert(M.Words.end(), {Kind, Value, Bytes}); };
  for (const protocol::Argument &A : S.Args) {
    uint64_t Value = 0;
    if (A.What == protocol::Argument::Kind::Struct)
      throw Failed{Failure::BadJob, "a launcher that takes a structure cannot be called"};
    if (A.What == protocol::Argument::Kind::Pointer) {
      auto Of = std::find_if(Declared.begin(), Declared.end(), [&](const protocol::Buffer &X) { return X.Name == A.Where.Buffer; });
      if (Of == Declared.end())
        throw Failed{Failure::BadJob, "no buffer '" + A.Where.Buffer + "' in the job"};
      if (Of->Managed) {
        protocol::Bytes Content = B.content(Of->Name);
        bool Written = Of->How != Role::In;
        cell(CellHost, Written, Content.size());
        M.Bytes.insert(M.Bytes.end(), Content.begin(), Content.end());
        if (Written)
          Back.push_back(&*Of);
        continue;
      }
      Known[B.address(Of->Name)] = {Of->bytes(), Of->Name};
      cell(CellDevice, B.address(Of->Name) + A.Where.Offset, Of->bytes() - std::min(A.Where.Offset, Of->bytes()));
      continue;
    }
    if (A.What == protocol::Argument::Kind::Scalar && protocol::isFloat(A.Type))
      ops::storeElement(A.Type, A.Float, reinterpret_cast<uint8_t *>(&Value));
    else if (A.What == protocol::Argument::Kind::Scalar)
      memcpy(&Value, &A.Int, protocol::sizeOf(A.Type)); // little endian on both sides
    cell(CellValue, Value);
  }
  G.check(G.api().eventRecord(Begun, G.stream()), "calling the launcher");
  for (auto &[Number, X] : Streams)
    beginStream(X);
  if (!Process.wire().send(M))
    gone();
  Message Done;
  serve(Op::Done, &Done);
  uint64_t At = 0;
  for (const protocol::Buffer *X : Back) {
    if (At + X->bytes() > Done.Bytes.size())
      gone();
    G.check(G.api().copyToDevice(B.address(X->Name), Done.Bytes.data() + At, X->bytes(), G.stream()), "taking back '" + X->Name + "'");
    At += X->bytes();
  }
  if (!Back.empty())
    G.synchronize("taking back host memory");
  settle();
  std::erase_if(Known, [&](const auto &K) { return !Own.count(K.first) && !Before.count(K.first); });
}

/// Answers until the guest says Last.
void HostCode::serve(Op Last, Message *Final) {
  // The watchdog of the launch sequence comes first; this is for when it does not watch.
  auto Until = Wire::Clock::now() + std::chrono::milliseconds(int64_t(1000 * J.Limits.Seconds) + 10'000);
  for (;;) {
    Message M;
    Wire::Got Got = Process.wait(Until) ? Process.wire().receive(M, Until) : Wire::Got::Late;
    if (Got == Wire::Got::Late)
      throw Failed{Failure::Timeout, "the launcher is not done in time"};
    if (Got == Wire::Got::End)
      gone();
    if (Got == Wire::Got::Nonsense) {
      report("cheat_channel", "the host code wrote to the descriptor by which the runtime is called");
      throw Failed{Failure::Crash, "the host code broke the connection to the device"};
    }
    if (M.What == Last) {
      if (Final)
        *Final = std::move(M);
      return;
    }
    if (status(M))
      continue;
    Message A;
    answer(M, A);
    if (!Process.wire().send(A))
      gone();
  }
}

void HostCode::gone() {
  settle();
  int Status = Process.end();
  std::string Why = Status >= 0 ? "the launcher ends the process (exit status " + std::to_string(Status) + ")" : "the process of the host code ended";
  report("crash", Why, false);
  throw Failed{Failure::Crash, Why};
}

/// What a call has left behind.
void HostCode::settle() {
  for (const std::string &Text : Process.takeForged())
    report("cheat_channel", Text);
  if (int S = Order.unordered(0); S >= 0 && !Timed)
    report("cheat_side_stream", "the launcher returns while work is left on a stream that its caller's does not wait for: results are read and times taken before it is done");
  Order.syncAll();
  if (G.lost())
    return;
  for (auto &[Number, S] : Streams) {
    G.check(G.api().eventRecord(Begun, S), "joining a stream");
    G.check(G.api().streamWaitEvent(G.stream(), Begun, 0), "joining a stream");
  }
  if (Timed)
    return;
  G.synchronize("running the candidate");
  for (auto &[At, M] : Own)
    M.In->checkZones(*Out);
}

/// What the guest says of itself. True: that was all.
bool HostCode::status(const Message &M) {
  switch (M.What) {
  case Op::Threw: {
    settle();
    std::string Why = "the launcher throws an exception" + (M.Bytes.empty() ? "" : ": " + text(M));
    report("crash", Why, false);
    throw Failed{Failure::Crash, Why};
  }
  case Op::Unsupported: {
    std::string Why = "the host code needs what is not passed on to a GPU: " + text(M);
    report("unsupported_by_gpu", Why);
    throw Failed{Failure::Unsupported, Why};
  }
  case Op::Crashed: {
    settle();
    auto Place = Known.upper_bound(word(M, 1));
    bool Device = Place != Known.begin() && word(M, 1) - (--Place)->first < Place->second.first;
    int Signal = int(word(M, 0));
    if ((Signal == SIGSEGV || Signal == SIGBUS) && Device && !word(M, 3)) {
      std::string Why = std::string("host code ") + (word(M, 2) ? "writes to '" : "reads from '") + Place->second.second + "', which is memory of the device";
      report("illegal_address", Why);
      throw Failed{Failure::IllegalAddress, Why};
    }
    const char *Name = sigdescr_np(Signal);
    std::string Why = Signal == SIGABRT ? "the launcher ends the process by abort()" : std::string("the host code ends by a signal: ") + (Name ? Name : "unknown");
    report("crash", Why, Signal != SIGABRT && !word(M, 3));
    throw Failed{Failure::Crash, Why};
  }
  case Op::Patches:
    if (word(M, 0))
      report(word(M, 1) ? "cheat_timer" : "cheat_patched_library", word(M, 1) ? "host code changes the code of a function that tells the time" : "host code changes code that is not its own");
    return true;
  case Op::Report:
    if (word(M, 0) <= M.Bytes.size())
      report(text(M).substr(0, word(M, 0)), text(M).substr(word(M, 0)));
    return true;
  default: return false;
  }
}

//===--- what it asks for -------------------------------------------------------===//

int HostCode::done(Status S, const std::string &What) {
  if (losesContext(S))
    G.check(S, What);
  return S == ErrNotFound ? int(guest::InvalidDeviceFunction) : S;
}

bool HostCode::range(DevicePtr At, uint64_t Bytes, const char *What) {
  auto It = Known.upper_bound(At);
  if (It == Known.begin() || At - std::prev(It)->first > std::prev(It)->second.first) {
    report("memcpy_size", std::string(What) + " of " + std::to_string(Bytes) + " bytes at an address that belongs to no memory");
    return false;
  }
  const auto &[Base, Of] = *std::prev(It);
  if (Bytes <= Of.first - (At - Base))
    return true;
  report("memcpy_size", std::string(What) + " of " + std::to_string(Bytes) + " bytes" + (At > Base ? " from byte " + std::to_string(At - Base) : "") + " leaves '" + Of.second +
                            "', which has " + std::to_string(Of.first) + " bytes");
  return false;
}

Stream HostCode::streamOf(uint64_t Number) {
  auto It = Streams.find(Number);
  return It == Streams.end() ? G.stream() : It->second;
}

void HostCode::answer(const Message &M, Message &A) {
  A.Words.assign(4, 0);
  ++Asked;
  int Result = 0;
  switch (M.What) {
  case Op::Allocate: {
    DevicePtr At = 0;
    Result = allocate(word(M, 0), At);
    A.Words[2] = At;
    break;
  }
  case Op::Release: Result = release(word(M, 0)); break;
  case Op::Copy: Result = copy(M, A); break;
  case Op::Set: Result = set(M); break;
  case Op::Fetch: Result = fetch(M, A); break;
  case Op::RegisterKernel: Result = registerKernel(M, A); break;
  case Op::RegisterVariable: Result = registerVariable(M, A); break;
  case Op::Run: Result = run(M); break;
  case Op::Allow:
    Result = allow(M);
    break;
  case Op::Stream: Result = stream(M, A); break;
  case Op::Event: Result = event(M, A); break;
  case Op::Ask: Result = ask(M, A); break;
  case Op::Texture: Result = texture(M, A); break;
  default: Result = guest::Unknown; break;
  }
  A.Words[0] = uint64_t(uint32_t(Result));
}

int HostCode::allocate(uint64_t Bytes, DevicePtr &At) {
  if (Used + Bytes > J.Limits.MemoryMb << 20)
    return guest::MemoryAllocation;
  Memory M;
  M.Of = std::make_unique<protocol::Buffer>();
  M.Of->Name = "memory of the launcher (" + std::to_string(Bytes) + " bytes)";
  M.Of->Type = protocol::DType::U8;
  M.Of->Shape = {int64_t(Bytes)};
  M.Of->How = Role::Scratch;
  M.In = std::make_unique<Buffers>(G, J.Limits.MemoryMb << 20, Timed);
  try {
    M.In->make(*M.Of, Fill);
  } catch (const Failed &F) {
    if (F.What != Failure::OutOfMemory)
      throw;
    return guest::MemoryAllocation;
  }
  if (!Timed)
    G.synchronize("filling memory"); // other streams may be the first to use it
  At = M.In->address(M.Of->Name);
  Used += Bytes;
  Known[At] = {Bytes, M.Of->Name};
  Own[At] = std::move(M);
  return 0;
}

int HostCode::release(DevicePtr At) {
  auto It = Own.find(At);
  if (It == Own.end()) {
    report("double_free", "frees an address that is no memory of its own");
    return guest::InvalidValue;
  }
  if (!Timed) {
    G.check(G.api().contextSynchronize(), "running the candidate");
    It->second.In->checkZones(*Out);
  }
  Used -= It->second.Of->bytes();
  Known.erase(At);
  Own.erase(It); // which waits for the device
  Order.syncAll();
  return 0;
}

int HostCode::copy(const Message &M, Message &A) {
  DevicePtr To = word(M, 0), From = word(M, 1);
  uint64_t Width = word(M, 2), Number = word(M, 3), Rows = word(M, 5);
  bool Async = word(M, 4);
  constexpr uint64_t Most = uint64_t(1) << 31; // of each number, so that products are numbers too
  if (!Rows || (Rows > 1 && (Rows > Most || std::max(word(M, 6), word(M, 7)) > Most || std::min(word(M, 6), word(M, 7)) < Width)))
    return guest::InvalidValue;
  uint64_t Bytes = Width * Rows;
  auto reach = [&](uint64_t Pitch) { return (Rows - 1) * Pitch + Width; };
  if ((To && !range(To, reach(word(M, 6)), "copy")) || (From && !range(From, reach(word(M, 7)), "copy")) || (!From && M.Bytes.size() != Bytes) || (!To && !From))
    return guest::InvalidValue;
  Stream S = streamOf(Number);
  const Driver &D = G.api();
  if (!To)
    A.Bytes.resize(Bytes);
  auto sideOf = [](DevicePtr At, const void *AtHost, size_t Pitch) { return CopySide{0, 0, At ? CopySide::Device : CopySide::Host, AtHost, At, nullptr, Pitch}; };
  CopyRows All{sideOf(From, M.Bytes.data(), word(M, 7)), sideOf(To, A.Bytes.data(), word(M, 6)), Width, Rows};
  Status E = Rows > 1 ? D.copyRows(&All, S)
             : !To ? D.copyFromDevice(A.Bytes.data(), From, Bytes, S) : !From ? D.copyToDevice(To, M.Bytes.data(), Bytes, S) : D.copyOnDevice(To, From, Bytes, S);
  queued(Number);
  if (!E && (!To || !From || !Async))
    E = D.streamSynchronize(S);
  if (!Async)
    Order.sync(int(Number));
  return done(E, "a copy of the launcher");
}

int HostCode::set(const Message &M) {
  if (!range(word(M, 0), word(M, 2), "memset"))
    return guest::InvalidValue;
  queued(word(M, 3));
  return done(G.api().set8(word(M, 0), uint8_t(word(M, 1)), word(M, 2), streamOf(word(M, 3))), "a memset of the launcher");
}

/// Host code looks into managed memory: that is no call of the runtime, so it waits for nothing that it was not told to. Which memory a kernel
/// works in is not known: a doubt.
int HostCode::fetch(const Message &M, Message &A) {
  auto It = Own.find(word(M, 0));
  if (It == Own.end() || It->second.Of->bytes() != word(M, 1))
    return guest::InvalidValue;
  bool Busy = std::any_of(LastKernel.begin(), LastKernel.end(), [&](const auto &K) { return !Order.hostKnows(K.first, K.second); });
  if (Busy && !Timed)
    report("use_after_free_stream", "host code looks into managed memory without waiting for the work that it has launched", false);
  Moved = true;
  A.Bytes.resize(word(M, 1));
  if (Status E = G.api().contextSynchronize())
    return done(E, "running the candidate");
  Status E = G.api().copyFromDevice(A.Bytes.data(), word(M, 0), word(M, 1), G.stream());
  return done(E ? E : G.api().streamSynchronize(G.stream()), "a look of host code into managed memory");
}

int HostCode::registerKernel(const Message &M, Message &A) {
  if (!G.api().functionParameter)
    throw Failed{Failure::NoWorker, "the driver does not tell a kernel's parameters (12.4 does): no host code can be run"};
  Kernel K;
  std::string Symbol = text(M);
  K.F = Code.kernel(Symbol);
  int Ignored = 0;
  char *Plain = abi::__cxa_demangle(Symbol.c_str(), nullptr, nullptr, &Ignored);
  K.Name = plainKernelName(Plain ? Plain : Symbol);
  free(Plain);
  for (size_t Offset = 0, Bytes = 0; K.Params.size() < 4096 && G.api().functionParameter(K.F, K.Params.size(), &Offset, &Bytes) == 0;) {
    K.Params.emplace_back(Offset, Bytes);
    A.Words.insert(A.Words.end(), {Offset, Bytes});
  }
  K.Last.Kernel = Symbol;
  K.Last.Grid = {0, 0, 0};
  Kernels[word(M, 0)] = std::move(K);
  return 0;
}

int HostCode::registerVariable(const Message &M, Message &A) {
  DevicePtr At = 0;
  size_t Bytes = 0;
  if (!Code.symbol(text(M), At, Bytes))
    return guest::InvalidSymbol; // no kernel uses it
  Known[At] = {Bytes, text(M)};
  A.Words[2] = At;
  A.Words[3] = Bytes;
  return 0;
}

int HostCode::run(const Message &M) {
  auto It = Kernels.find(word(M, 0));
  if (It == Kernels.end() || M.Words.size() != 13)
    return guest::InvalidDeviceFunction;
  Kernel &K = It->second;
  if (!K.Params.empty() && M.Bytes.size() < K.Params.back().first + K.Params.back().second)
    return guest::InvalidValue;
  std::vector<void *> Args;
  for (auto [Offset, Bytes] : K.Params)
    Args.push_back(const_cast<uint8_t *>(M.Bytes.data()) + Offset);
  auto dim = [&](size_t I) { return protocol::Dim3{uint32_t(word(M, I)), uint32_t(word(M, I + 1)), uint32_t(word(M, I + 2))}; };
  protocol::Dim3 Grid = dim(1), Block = dim(4);
  unsigned Shared = unsigned(word(M, 7));
  Stream S = streamOf(word(M, 8));
  const Driver &D = G.api();
  Status E = word(M, 10) ? launchCluster(M, K, S, Args.data())
             : word(M, 9) ? D.launchCooperative(K.F, Grid.X, Grid.Y, Grid.Z, Block.X, Block.Y, Block.Z, Shared, S, Args.data())
                          : D.launch(K.F, Grid.X, Grid.Y, Grid.Z, Block.X, Block.Y, Block.Z, Shared, S, Args.data(), nullptr);
  if (E && !losesContext(E))
    report("launch_config", "launch of '" + K.Name + "' fails: " + errorText(D, E));
  if (!E) {
    K.Last.Grid = Grid;
    K.Last.Block = Block;
    K.Last.SharedBytes = Shared;
    queued(word(M, 8));
    LastKernel[int(word(M, 8))] = Launches;
  }
  return E == ErrInvalidValue ? int(guest::InvalidConfiguration) : done(E, "launch of '" + K.Name + "'");
}

Status HostCode::launchCluster(const Message &M, const Kernel &K, Stream On, void **Args) {
  if (!G.api().launchEx)
    throw Failed{Failure::NoWorker, "the driver launches no clusters (11.8 does)"};
  LaunchAttribute Attributes[2] = {};
  Attributes[0].Id = LaunchAttribute::ClusterDimension;
  Attributes[1].Id = LaunchAttribute::Cooperative;
  Attributes[1].Value[0] = 1;
  LaunchConfig C = {};
  for (unsigned I = 0; I < 3; ++I) {
    C.Grid[I] = unsigned(word(M, 1 + I));
    C.Block[I] = unsigned(word(M, 4 + I));
    Attributes[0].Value[I] = unsigned(word(M, 10 + I));
  }
  C.SharedBytes = unsigned(word(M, 7));
  C.On = On;
  C.Attributes = Attributes;
  C.Count = word(M, 9) ? 2 : 1;
  return G.api().launchEx(&C, K.F, Args, nullptr);
}

int HostCode::allow(const Message &M) {
  auto It = Kernels.find(word(M, 0));
  if (It == Kernels.end())
    return guest::InvalidDeviceFunction;
  for (FunctionAttribute Known : {FnMaxDynamicShared, FnSharedShare, FnLargeClusters})
    if (word(M, 1) == uint64_t(Known))
      return done(G.api().setFunctionAttribute(It->second.F, Known, int(word(M, 2))), "cudaFuncSetAttribute");
  return 0; // others are hints
}

int HostCode::stream(const Message &M, Message &A) {
  const Driver &D = G.api();
  uint64_t Number = word(M, 1);
  switch (word(M, 0)) {
  case StreamMake: {
    Stream S = nullptr;
    if (Status E = D.streamCreate(&S, unsigned(word(M, 1))))
      return done(E, "making a stream");
    Streams[A.Words[2] = Next++] = S;
    Order.setBlocking(int(A.Words[2]), !word(M, 1));
    beginStream(S);
    return 0;
  }
  case StreamDrop: { // its work goes on
    auto It = Streams.find(Number);
    if (It == Streams.end())
      return guest::InvalidResourceHandle;
    G.check(D.eventRecord(Begun, It->second), "joining a stream");
    G.check(D.streamWaitEvent(G.stream(), Begun, 0), "joining a stream");
    Stream S = It->second;
    Streams.erase(It);
    return done(D.streamDestroy(S), "destroying a stream");
  }
  case StreamSync: Order.sync(int(Number)); return done(D.streamSynchronize(streamOf(Number)), "running the candidate");
  case StreamQuery: {
    Status E = D.streamQuery(streamOf(Number));
    if (!E)
      Order.sync(int(Number));
    return done(E, "running the candidate");
  }
  case DeviceSync: Order.syncAll(); return done(D.contextSynchronize(), "running the candidate");
  default: return guest::InvalidValue;
  }
}

int HostCode::event(const Message &M, Message &A) {
  const Driver &D = G.api();
  if (word(M, 0) == EventMake) {
    Recorded X;
    if (Status E = D.eventCreate(&X.E, unsigned(word(M, 1))))
      return done(E, "making an event");
    Events[A.Words[2] = Next++] = X;
    return 0;
  }
  auto It = Events.find(word(M, 1));
  if (It == Events.end())
    return guest::InvalidResourceHandle;
  Recorded &X = It->second;
  switch (word(M, 0)) {
  case EventDrop: {
    Event E = X.E;
    Events.erase(It);
    return done(D.eventDestroy(E), "destroying an event");
  }
  case EventRecord: X.Before = Order.record(int(word(M, 2))); return done(D.eventRecord(X.E, streamOf(word(M, 2))), "recording an event");
  case EventWait: Order.wait(int(word(M, 2)), X.Before); return done(D.streamWaitEvent(streamOf(word(M, 2)), X.E, 0), "waiting for an event");
  case EventSync: Order.hostWait(X.Before); return done(D.eventSynchronize(X.E), "running the candidate");
  case EventQuery: {
    Status E = D.eventQuery(X.E);
    if (!E)
      Order.hostWait(X.Before);
    return done(E, "running the candidate");
  }
  case EventElapsed: {
    auto Other = Events.find(word(M, 2));
    float Ms = 0;
    Status E = Other == Events.end() ? Status(guest::InvalidResourceHandle) : D.eventElapsed(&Ms, X.E, Other->second.E);
    uint32_t Bits;
    memcpy(&Bits, &Ms, sizeof Bits);
    A.Words[2] = Bits;
    return done(E, "reading an event");
  }
  default: return guest::InvalidValue;
  }
}

int HostCode::texture(const Message &M, Message &A) {
  if (word(M, 0) == TextureDrop)
    return Textures.erase(word(M, 1)) ? done(G.api().textureDestroy(word(M, 1)), "destroying a texture") : int(guest::InvalidValue);
  ResourceDesc What = {};
  What.Kind = int(word(M, 1));
  What.Memory.At = word(M, 2);
  What.Memory.Format = int(word(M, 3));
  What.Memory.Channels = unsigned(word(M, 4));
  What.Memory.Width = word(M, 5);
  const bool Rows = What.Kind == ResourceDesc::Rows;
  if (Rows) {
    What.Memory.Height = word(M, 6);
    What.Memory.Pitch = word(M, 7);
  }
  if ((!Rows && What.Kind != ResourceDesc::Linear) || !range(What.Memory.At, Rows ? What.Memory.Pitch * What.Memory.Height : What.Memory.Width, "texture"))
    return guest::InvalidValue;
  TextureDesc How = {};
  for (unsigned I = 0; I < 3; ++I)
    How.Edge[I] = int(word(M, 8 + I));
  How.Filter = int(word(M, 11));
  How.Flags = (word(M, 12) ? 0u : TextureDesc::ReadAsInteger) | (word(M, 13) ? TextureDesc::NormalizedCoordinates : 0u);
  for (unsigned I = 0; I < 4; ++I) {
    uint32_t Bits = uint32_t(word(M, 14 + I));
    memcpy(&How.Border[I], &Bits, sizeof Bits);
  }
  unsigned long long Object = 0;
  Status E = G.api().textureCreate(&Object, &What, &How, nullptr);
  if (!E)
    Textures.insert(A.Words[2] = Object);
  return done(E, "making a texture");
}

int HostCode::ask(const Message &M, Message &A) {
  const Driver &D = G.api();
  auto It = Kernels.find(word(M, 1));
  bool OfKernel = word(M, 0) == AskOccupancy || word(M, 0) == AskFunction;
  if (OfKernel && It == Kernels.end())
    return guest::InvalidDeviceFunction;
  switch (word(M, 0)) {
  case AskAttribute: A.Words[2] = uint64_t(uint32_t(G.attribute(Attribute(word(M, 1))))); return 0;
  case AskMemory: A.Words[3] = J.Limits.MemoryMb << 20; A.Words[2] = A.Words[3] - Used; return 0;
  case AskName: A.Bytes.assign(G.name().begin(), G.name().end()); return 0;
  case AskOccupancy: {
    int Blocks = 0;
    Status E = D.occupancy(&Blocks, It->second.F, int(word(M, 2)), size_t(word(M, 3)));
    A.Words[2] = uint64_t(uint32_t(Blocks));
    return done(E, "asking for the occupancy");
  }
  case AskFunction:
    for (FunctionAttribute X : {FnSharedBytes, FnLocalBytes, FnMaxThreads, FnMaxDynamicShared, FnRegisters}) {
      int V = 0;
      D.functionAttribute(&V, X, It->second.F);
      A.Words.push_back(uint64_t(uint32_t(V)));
    }
    return 0;
  default: return guest::InvalidValue;
  }
}

std::vector<protocol::KernelFacts> HostCode::facts() {
  std::vector<protocol::Step> Steps;
  std::map<std::string, std::string> Names;
  for (auto &[Stub, K] : Kernels) {
    Names[K.Last.Kernel] = K.Name;
    if (K.Last.Grid.count())
      Steps.push_back({K.Last, 0});
  }
  std::vector<protocol::KernelFacts> All = kernelFacts(G, Code, Steps);
  for (protocol::KernelFacts &F : All)
    F.Name = Names[F.Name];
  return All;
}
