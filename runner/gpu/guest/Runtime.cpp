// The CUDA runtime that a candidate's host code finds: each call is the worker's to do. What is not here ends the run with its name.
// Several devices are not. Textures are in Textures.cpp; graphs are kept here (runner/guest/Graphs.h) and launched step by step.
#include "runner/gpu/guest/Runtime.h"
#include "runner/gpu/guest/Calls.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace kcheck::gpu;
using namespace kcheck::guest;

namespace {

Guest &G() { return Guest::only(); }
Graphs &graphs() {
  static Graphs Of;
  return Of;
}

struct Dim3 {
  unsigned X, Y, Z;
};

/// Streams are numbers: null and 1 are the legacy default stream, 2 the thread's own.
uint64_t streamOf(void *S) { return word(S) < FirstStream ? 0 : word(S); }

} // namespace

int kcheck::gpu::allocate(void **Out, uint64_t Bytes, bool Managed) {
  if (!Out)
    return G().fail(InvalidValue);
  *Out = nullptr;
  if (!Bytes)
    return Success;
  Message A = G().ask(Op::Allocate, {Bytes});
  *Out = reinterpret_cast<void *>(A.Words[2]);
  if (Managed && !A.Words[0])
    G().addManaged(A.Words[2], Bytes);
  else
    G().addRange(A.Words[2], Bytes);
  return G().fail(int(A.Words[0]));
}

int kcheck::gpu::release(void *P) {
  if (!P)
    return Success;
  int E = G().code(Op::Release, {word(P)});
  if (!E) {
    G().dropManaged(word(P));
    G().dropRange(word(P));
  }
  return E;
}

namespace {

/// Which sides a kind allows. 0 host, 1 device.
bool allows(CopyKind Kind, bool ToDevice, bool FromDevice) {
  switch (Kind) {
  case CopyKind::HostToHost: return !ToDevice && !FromDevice;
  case CopyKind::HostToDevice: return ToDevice && !FromDevice;
  case CopyKind::DeviceToHost: return !ToDevice && FromDevice;
  case CopyKind::DeviceToDevice: return ToDevice && FromDevice;
  case CopyKind::Default: return true;
  }
  return false;
}

} // namespace

int kcheck::gpu::copyRows(void *To, uint64_t ToPitch, const void *From, uint64_t FromPitch, uint64_t Width, uint64_t Rows, int Kind, void *Stream, bool Async) {
  if (Rows > 1 && (Width > ToPitch || Width > FromPitch))
    return G().fail(12);
  const uint64_t Bytes = Width * Rows;
  if (G().sticky() || !Bytes)
    return G().sticky();
  if (Kind < 0 || Kind > 4)
    return G().fail(InvalidMemcpyDirection);
  if (!To || !From) {
    G().report("null_access", "copy of " + std::to_string(Bytes) + " bytes " + (To ? "from" : "to") + " a null pointer");
    return G().fail(InvalidValue);
  }
  bool ToDevice = G().isDevice(To), FromDevice = G().isDevice(From);
  const bool Either = G().isManaged(To) || G().isManaged(From); // that side is both
  if (!Either && !allows(CopyKind(Kind), ToDevice, FromDevice)) {
    static const char *const Names[] = {"host to host", "host to device", "device to host", "device to device", "default"};
    auto side = [](bool Device) { return Device ? "device memory" : "host memory"; };
    G().report("memcpy_direction", std::string("copy ") + Names[Kind] + ", but the target is " + side(ToDevice) + " and the source is " + side(FromDevice));
    return G().fail(InvalidValue);
  }
  if (Bytes > Wire::MostBytes && (!ToDevice || !FromDevice)) {
    G().report("memcpy_size", "copy of " + std::to_string(Bytes) + " bytes, more than any memory has");
    return G().fail(InvalidValue);
  }
  auto row = [](auto *P, uint64_t Pitch, uint64_t Y) { return P + Y * Pitch; };
  char *Into = static_cast<char *>(To);
  const char *Out = static_cast<const char *>(From);
  if (!ToDevice && !FromDevice) {
    for (uint64_t Y = 0; Y < Rows; ++Y)
      memmove(row(Into, ToPitch, Y), row(Out, FromPitch, Y), Width);
    return Success;
  }
  std::vector<uint8_t> Content; // what lies in host memory travels, row behind row
  if (!FromDevice) {
    Content.reserve(Bytes);
    for (uint64_t Y = 0; Y < Rows; ++Y)
      Content.insert(Content.end(), row(Out, FromPitch, Y), row(Out, FromPitch, Y) + Width);
  }
  Message A = G().ask(Op::Copy, {ToDevice ? word(To) : 0, FromDevice ? word(From) : 0, Width, streamOf(Stream), Async, Rows, ToDevice ? ToPitch : Width, FromDevice ? FromPitch : Width},
                      std::move(Content));
  if (!ToDevice && A.Bytes.size() == Bytes)
    for (uint64_t Y = 0; Y < Rows; ++Y)
      memcpy(row(Into, ToPitch, Y), A.Bytes.data() + Y * Width, Width);
  return G().fail(int(A.Words[0]));
}

namespace {

int copy(void *To, const void *From, uint64_t Bytes, int Kind, void *Stream, bool Async) { return copyRows(To, Bytes, From, Bytes, Bytes, 1, Kind, Stream, Async); }

int set(void *To, int Value, uint64_t Bytes, void *Stream, bool Async) {
  if (G().sticky() || !Bytes)
    return G().sticky();
  if (!G().isDevice(To)) {
    G().report(To ? "memcpy_direction" : "null_access", To ? "cudaMemset of host memory" : "cudaMemset of a null pointer");
    return G().fail(InvalidValue);
  }
  return G().code(Op::Set, {word(To), uint64_t(Value) & 0xFF, Bytes, streamOf(Stream), Async});
}

std::pair<uint64_t, uint64_t> variable(const void *Symbol) {
  auto It = G().Variables.find(Symbol);
  return It == G().Variables.end() ? std::pair<uint64_t, uint64_t>() : It->second;
}

int copySymbol(const void *Symbol, void *Other, uint64_t Bytes, uint64_t Offset, bool ToSymbol, int Kind, void *Stream, bool Async) {
  auto [At, Size] = variable(Symbol);
  if (!At)
    return G().fail(InvalidSymbol);
  if (Offset > Size || Bytes > Size - Offset) {
    G().report("memcpy_size", "copy of " + std::to_string(Bytes) + " bytes " + (ToSymbol ? "to" : "from") + " a variable of " + std::to_string(Size) + " bytes");
    return G().fail(InvalidValue);
  }
  void *There = reinterpret_cast<void *>(At + Offset);
  return ToSymbol ? copy(There, Other, Bytes, Kind, Stream, Async) : copy(Other, There, Bytes, Kind, Stream, Async);
}

/// A launch, on a stream that is told later; nothing where there is no such kernel.
GraphStep launchStep(const void *Stub, Dim3 Grid, Dim3 Block, void **Args, uint64_t Shared, bool Cooperative, Dim3 Cluster = {0, 0, 0}) {
  auto It = G().Kernels.find(Stub);
  if (It == G().Kernels.end())
    return {};
  std::vector<uint8_t> Params(It->second.bytes());
  for (size_t I = 0; I < It->second.Params.size(); ++I)
    memcpy(Params.data() + It->second.Params[I].first, Args[I], It->second.Params[I].second);
  return [=, Params = std::move(Params)](void *Stream) {
    return G().code(Op::Run, {word(Stub), Grid.X, Grid.Y, Grid.Z, Block.X, Block.Y, Block.Z, Shared, streamOf(Stream), Cooperative, Cluster.X, Cluster.Y, Cluster.Z}, Params);
  };
}

int launch(const void *Stub, Dim3 Grid, Dim3 Block, void **Args, uint64_t Shared, void *Stream, bool Cooperative, Dim3 Cluster = {0, 0, 0}) {
  GraphStep Do = launchStep(Stub, Grid, Block, Args, Shared, Cooperative, Cluster);
  return Do ? doOrRecord(Stream, std::move(Do)) : G().fail(InvalidDeviceFunction);
}

/// What the host does in its turn on a stream: when all before it is done.
GraphStep hostStep(std::function<int()> Do) {
  return [Do = std::move(Do)](void *Stream) {
    int E = G().code(Op::Stream, {StreamSync, streamOf(Stream)});
    return E ? E : Do();
  };
}

struct Configuration {
  Dim3 Grid, Block;
  size_t Shared;
  void *Stream;
};
thread_local std::vector<Configuration> Pushed;

int made(Op What, uint64_t Flags, void **Out) {
  if (!Out)
    return G().fail(InvalidValue);
  Message A = G().ask(What, {0, Flags});
  *Out = reinterpret_cast<void *>(A.Words[2]);
  return G().fail(int(A.Words[0]));
}

} // namespace

int kcheck::gpu::doOrRecord(void *Stream, GraphStep Do) { return graphs().captured(Stream, Do) ? int(Success) : Do(Stream); }

extern "C" {

// What nvcc puts into every file with kernels ---------------------------------

void **__cudaRegisterFatBinary(void *) {
  static void *Unit = nullptr;
  return &Unit;
}
void __cudaRegisterFatBinaryEnd(void **) {}
void __cudaUnregisterFatBinary(void **) {}
char __cudaInitModule(void **) { return 1; }
void __cudaRegisterFunction(void **, const char *Stub, char *, const char *Name, int, void *, void *, void *, void *, int *) {
  API_CALL;
  std::string Text = Name;
  Message A = G().ask(Op::RegisterKernel, {word(Stub)}, {Text.begin(), Text.end()});
  GuestKernel K;
  K.Name = Text;
  for (size_t I = 4; I + 1 < A.Words.size(); I += 2)
    K.Params.emplace_back(uint32_t(A.Words[I]), uint32_t(A.Words[I + 1]));
  if (!A.Words[0])
    G().Kernels[Stub] = std::move(K);
}
void __cudaRegisterVar(void **, char *Host, char *, const char *Name, int, size_t, int, int) {
  API_CALL;
  std::string Text = Name;
  Message A = G().ask(Op::RegisterVariable, {}, {Text.begin(), Text.end()});
  if (A.Words[0])
    return;
  G().Variables[Host] = {A.Words[2], A.Words[3]};
  G().addRange(A.Words[2], A.Words[3]);
}
unsigned __cudaPushCallConfiguration(Dim3 Grid, Dim3 Block, size_t Shared, void *Stream) {
  Pushed.push_back({Grid, Block, Shared, Stream});
  return 0;
}
int __cudaPopCallConfiguration(Dim3 *Grid, Dim3 *Block, size_t *Shared, void *Stream) {
  if (Pushed.empty())
    return InvalidConfiguration;
  const Configuration &C = Pushed.back();
  *Grid = C.Grid, *Block = C.Block, *Shared = C.Shared, *static_cast<void **>(Stream) = C.Stream;
  Pushed.pop_back();
  return Success;
}
int __cudaGetKernel(void **Kernel, const void *Stub) {
  *Kernel = const_cast<void *>(Stub);
  return Success;
}
int cudaLaunchKernel(const void *F, Dim3 Grid, Dim3 Block, void **Args, size_t Shared, void *Stream) {
  API_CALL;
  return launch(F, Grid, Block, Args, Shared, Stream, false);
}
int __cudaLaunchKernel(void *F, Dim3 Grid, Dim3 Block, void **Args, size_t Shared, void *Stream) { return cudaLaunchKernel(F, Grid, Block, Args, Shared, Stream); }
int cudaLaunchCooperativeKernel(const void *F, Dim3 Grid, Dim3 Block, void **Args, size_t Shared, void *Stream) {
  API_CALL;
  return launch(F, Grid, Block, Args, Shared, Stream, true);
}

// Kernels ----------------------------------------------------------------------

int cudaFuncSetAttribute(const void *F, int Attribute, int Value) {
  API_CALL;
  return G().code(Op::Allow, {word(F), uint64_t(uint32_t(Attribute)), uint64_t(uint32_t(Value))});
}
int cudaFuncSetCacheConfig(const void *, int) { return Success; }
int cudaFuncGetName(const char **Out, const void *F) {
  API_CALL;
  auto It = G().Kernels.find(F);
  *Out = It == G().Kernels.end() ? "" : It->second.Name.c_str();
  return It == G().Kernels.end() ? int(InvalidDeviceFunction) : int(Success);
}
int cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *Blocks, const void *F, int Threads, size_t Dynamic, unsigned) {
  API_CALL;
  Message A = G().ask(Op::Ask, {AskOccupancy, word(F), uint64_t(uint32_t(Threads)), Dynamic});
  *Blocks = int(A.Words[2]);
  return G().fail(int(A.Words[0]));
}
int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *Blocks, const void *F, int Threads, size_t Dynamic) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(Blocks, F, Threads, Dynamic, 0);
}

// Memory -----------------------------------------------------------------------

int cudaMalloc(void **P, size_t N) { API_CALL; return allocate(P, N); }
int cudaMallocManaged(void **P, size_t N, unsigned) { API_CALL; return allocate(P, N, true); }
int cudaMallocAsync(void **P, size_t N, void *) { API_CALL; return allocate(P, N); }
int cudaMallocPitch(void **P, size_t *Pitch, size_t Width, size_t Height) {
  API_CALL;
  *Pitch = (Width + 511) / 512 * 512;
  return allocate(P, *Pitch * Height);
}
int cudaFree(void *P) { API_CALL; return release(P); }
int cudaFreeAsync(void *P, void *) { API_CALL; return release(P); }
// Pinned memory is memory of this process: copies work, and a kernel that is given it faults.
int cudaMallocHost(void **P, size_t N) { API_CALL; return posix_memalign(P, 4096, N ? N : 1) ? G().fail(MemoryAllocation) : int(Success); }
int cudaHostAlloc(void **P, size_t N, unsigned) { return cudaMallocHost(P, N); }
int cudaFreeHost(void *P) { free(P); return Success; }
int cudaHostRegister(void *, size_t, unsigned) { return Success; }
int cudaHostUnregister(void *) { return Success; }

int cudaMemcpy(void *To, const void *From, size_t N, int Kind) { API_CALL; return copy(To, From, N, Kind, nullptr, false); }
int cudaMemcpyAsync(void *To, const void *From, size_t N, int Kind, void *S) {
  API_CALL;
  return doOrRecord(S, [=](void *On) { return copy(To, From, N, Kind, On, true); });
}
int cudaMemcpy2D(void *To, size_t TP, const void *From, size_t FP, size_t W, size_t H, int Kind) {
  API_CALL;
  return copyRows(To, TP, From, FP, W, H, Kind, nullptr, false);
}
int cudaMemcpy2DAsync(void *To, size_t TP, const void *From, size_t FP, size_t W, size_t H, int Kind, void *S) {
  API_CALL;
  return doOrRecord(S, [=](void *On) { return copyRows(To, TP, From, FP, W, H, Kind, On, true); });
}
int cudaMemset(void *To, int V, size_t N) { API_CALL; return set(To, V, N, nullptr, false); }
int cudaMemsetAsync(void *To, int V, size_t N, void *S) {
  API_CALL;
  return doOrRecord(S, [=](void *On) { return set(To, V, N, On, true); });
}
int cudaMemset2DAsync(void *To, size_t Pitch, int V, size_t W, size_t H, void *S) {
  API_CALL;
  return doOrRecord(S, [=](void *On) {
    for (size_t Y = 0; Y < H; ++Y)
      if (int E = set(static_cast<char *>(To) + Y * Pitch, V, W, On, true))
        return E;
    return int(Success);
  });
}
int cudaMemset2D(void *To, size_t Pitch, int V, size_t W, size_t H) { return cudaMemset2DAsync(To, Pitch, V, W, H, nullptr); }
int cudaMemcpyToSymbol(const void *S, const void *From, size_t N, size_t Offset, int Kind) {
  API_CALL;
  return copySymbol(S, const_cast<void *>(From), N, Offset, true, Kind, nullptr, false);
}
int cudaMemcpyFromSymbol(void *To, const void *S, size_t N, size_t Offset, int Kind) {
  API_CALL;
  return copySymbol(S, To, N, Offset, false, Kind, nullptr, false);
}
int cudaMemcpyToSymbolAsync(const void *S, const void *From, size_t N, size_t Offset, int Kind, void *Stream) {
  API_CALL;
  return doOrRecord(Stream, [=](void *On) { return copySymbol(S, const_cast<void *>(From), N, Offset, true, Kind, On, true); });
}
int cudaMemcpyFromSymbolAsync(void *To, const void *S, size_t N, size_t Offset, int Kind, void *Stream) {
  API_CALL;
  return doOrRecord(Stream, [=](void *On) { return copySymbol(S, To, N, Offset, false, Kind, On, true); });
}
int cudaGetSymbolAddress(void **Out, const void *S) {
  API_CALL;
  *Out = reinterpret_cast<void *>(variable(S).first);
  return *Out ? int(Success) : G().fail(InvalidSymbol);
}
int cudaGetSymbolSize(size_t *Out, const void *S) {
  API_CALL;
  *Out = variable(S).second;
  return *Out ? int(Success) : G().fail(InvalidSymbol);
}
int cudaMemGetInfo(size_t *Free, size_t *Total) {
  API_CALL;
  Message A = G().ask(Op::Ask, {AskMemory});
  *Free = A.Words[2];
  *Total = A.Words[3];
  return G().fail(int(A.Words[0]));
}

// Streams and events -------------------------------------------------------------

int cudaStreamCreateWithFlags(void **S, unsigned Flags) { API_CALL; return made(Op::Stream, Flags & 1, S); }
int cudaStreamCreate(void **S) { return cudaStreamCreateWithFlags(S, 0); }
int cudaStreamCreateWithPriority(void **S, unsigned Flags, int) { return cudaStreamCreateWithFlags(S, Flags); }
int cudaStreamDestroy(void *S) { API_CALL; return G().code(Op::Stream, {StreamDrop, streamOf(S)}); }
int cudaStreamSynchronize(void *S) { API_CALL; return G().code(Op::Stream, {StreamSync, streamOf(S)}); }
int cudaStreamAttachMemAsync(void *, void *, size_t, unsigned) { return Success; }
int cudaStreamQuery(void *S) { API_CALL; return int(G().ask(Op::Stream, {StreamQuery, streamOf(S)}).Words[0]); }
int cudaStreamWaitEvent(void *S, void *E, unsigned) { API_CALL; return G().code(Op::Event, {EventWait, word(E), streamOf(S)}); }
int cudaDeviceSynchronize() { API_CALL; return G().code(Op::Stream, {DeviceSync}); }
int cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
int cudaEventCreateWithFlags(void **E, unsigned Flags) { API_CALL; return made(Op::Event, Flags & 3, E); }
int cudaEventCreate(void **E) { return cudaEventCreateWithFlags(E, 0); }
int cudaEventDestroy(void *E) { API_CALL; return G().code(Op::Event, {EventDrop, word(E)}); }
int cudaEventRecord(void *E, void *S) { API_CALL; return G().code(Op::Event, {EventRecord, word(E), streamOf(S)}); }
int cudaEventRecordWithFlags(void *E, void *S, unsigned) { return cudaEventRecord(E, S); }
int cudaEventSynchronize(void *E) { API_CALL; return G().code(Op::Event, {EventSync, word(E)}); }
int cudaEventQuery(void *E) { API_CALL; return int(G().ask(Op::Event, {EventQuery, word(E)}).Words[0]); }
int cudaEventElapsedTime(float *Ms, void *A, void *B) {
  API_CALL;
  Message M = G().ask(Op::Event, {EventElapsed, word(A), word(B)});
  uint32_t Bits = uint32_t(M.Words[2]);
  memcpy(Ms, &Bits, sizeof Bits);
  return G().fail(int(M.Words[0]));
}
int cudaEventElapsedTime_v2(float *Ms, void *A, void *B) { return cudaEventElapsedTime(Ms, A, B); }

int cudaLaunchHostFunc(void *S, void (*F)(void *), void *Data) {
  API_CALL;
  return doOrRecord(S, hostStep([=] { F(Data); return int(Success); }));
}
int cudaStreamAddCallback(void *S, void (*F)(void *, int, void *), void *Data, unsigned) {
  API_CALL;
  return doOrRecord(S, hostStep([=] { F(S, Success, Data); return int(Success); }));
}

// Graphs -------------------------------------------------------------------------

int cudaStreamBeginCapture(void *S, int) { API_CALL; return G().fail(graphs().beginCapture(S)); }
int cudaStreamEndCapture(void *S, void **Out) { API_CALL; return G().fail(graphs().endCapture(S, Out)); }
int cudaStreamIsCapturing(void *S, int *Status) { API_CALL; *Status = graphs().capturing(S); return Success; }
int cudaThreadExchangeStreamCaptureMode(int *) { return Success; }
int cudaGraphCreate(void **Out, unsigned) { API_CALL; return G().fail(graphs().create(Out)); }
int cudaGraphDestroy(void *Graph) { API_CALL; return G().fail(graphs().destroy(Graph)); }
int cudaGraphClone(void **Out, void *Graph) { API_CALL; return G().fail(graphs().clone(Out, Graph)); }
int cudaGraphInstantiate(void **Out, void *Graph, unsigned long long) { API_CALL; return G().fail(graphs().instantiate(Out, Graph)); }
int cudaGraphInstantiateWithFlags(void **Out, void *Graph, unsigned long long Flags) { return cudaGraphInstantiate(Out, Graph, Flags); }
/// The result's structure begins with cudaGraphExecUpdateSuccess, and names no node.
int cudaGraphExecUpdate(void *E, void *Graph, void *Result) {
  API_CALL;
  if (Result)
    memset(Result, 0, 3 * sizeof(void *));
  return G().fail(graphs().update(E, Graph));
}
int cudaGraphExecDestroy(void *E) { API_CALL; return G().fail(graphs().destroyExecutable(E)); }
int cudaGraphLaunch(void *E, void *S) { API_CALL; return G().fail(graphs().launch(E, S)); }
int cudaGraphUpload(void *, void *) { return Success; }
int cudaGraphGetNodes(void *Graph, void **Out, size_t *Count) { API_CALL; return G().fail(graphs().nodes(Graph, Out, Count, false)); }
int cudaGraphGetRootNodes(void *Graph, void **Out, size_t *Count) { API_CALL; return G().fail(graphs().nodes(Graph, Out, Count, true)); }
int cudaGraphNodeGetType(void *N, int *Type) { API_CALL; return G().fail(graphs().kind(N, Type)); }
int cudaGraphAddEmptyNode(void **Out, void *Graph, void **Before, size_t Count) { API_CALL; return G().fail(graphs().add(Out, Graph, Before, Count, NodeKind::Empty, {})); }
int cudaGraphAddChildGraphNode(void **Out, void *Graph, void **Before, size_t Count, void *Child) {
  API_CALL;
  return G().fail(graphs().addChild(Out, Graph, Before, Count, Child));
}

// The device ---------------------------------------------------------------------

int cudaGetLastError() { API_CALL; return G().last(true); }
int cudaPeekAtLastError() { API_CALL; return G().last(false); }
const char *cudaGetErrorName(int E) { return errorName(E); }
const char *cudaGetErrorString(int E) { return errorText(E); }
int cudaGetDeviceCount(int *N) { *N = 1; return Success; }
int cudaGetDevice(int *N) { *N = 0; return Success; }
int cudaSetDevice(int N) { API_CALL; return N == 0 ? int(Success) : G().fail(InvalidDevice); }
int cudaInitDevice(int, unsigned, unsigned) { return Success; }
int cudaSetDeviceFlags(unsigned) { return Success; }
int cudaDeviceSetCacheConfig(int) { return Success; }
int cudaDeviceGetStreamPriorityRange(int *Least, int *Greatest) { *Least = *Greatest = 0; return Success; }
int cudaDeviceCanAccessPeer(int *Can, int, int) { *Can = 0; return Success; }
int kcheck_host_attribute(int Which) { API_CALL; return int(G().ask(Op::Ask, {AskAttribute, uint64_t(uint32_t(Which))}).Words[2]); }
int cudaDeviceGetAttribute(int *Value, int Which, int Device) {
  API_CALL;
  if (Device)
    return G().fail(InvalidDevice);
  *Value = kcheck_host_attribute(Which);
  return Success;
}
int cudaDriverGetVersion(int *V) { *V = 13000; return Success; }
int cudaRuntimeGetVersion(int *V) { *V = 13000; return Success; }

// For the glue (runner/guest/Glue.cu) ----------------------------------------------

size_t kcheck_host_memory() { API_CALL; return G().ask(Op::Ask, {AskMemory}).Words[3]; }
const char *kcheck_host_name() {
  API_CALL;
  static std::string Name;
  Message A = G().ask(Op::Ask, {AskName});
  Name.assign(A.Bytes.begin(), A.Bytes.end());
  return Name.c_str();
}
void kcheck_host_unsupported(const char *What) { API_CALL; G().unsupported(What); }
int kcheck_host_fail(int E) { API_CALL; return G().fail(E); }
/// 0 host, 1 managed, 2 device.
int kcheck_host_pointer(const void *P, void **, size_t *) { API_CALL; return G().isManaged(P) ? 1 : G().isDevice(P) ? 2 : 0; }
int kcheck_host_function(const void *F, size_t *Shared, size_t *Local, int *Threads, int *Dynamic, int *Registers) {
  API_CALL;
  Message A = G().ask(Op::Ask, {AskFunction, word(F)});
  A.Words.resize(9);
  *Shared = A.Words[4], *Local = A.Words[5], *Threads = int(A.Words[6]), *Dynamic = int(A.Words[7]), *Registers = int(A.Words[8]);
  return G().fail(int(A.Words[0]));
}
int kcheck_host_launch(const void *F, Dim3 Grid, Dim3 Block, void **Args, size_t Shared, void *Stream, int Cooperative, const unsigned *Cluster) {
  API_CALL;
  return launch(F, Grid, Block, Args, Shared, Stream, Cooperative, Cluster ? Dim3{Cluster[0], Cluster[1], Cluster[2]} : Dim3{0, 0, 0});
}
int kcheck_graph_kernel(void **Out, void *Graph, void **Before, size_t Count, const void *F, Dim3 Grid, Dim3 Block, void **Args, size_t Shared) {
  API_CALL;
  GraphStep Do = launchStep(F, Grid, Block, Args, Shared, false);
  return G().fail(Do ? graphs().add(Out, Graph, Before, Count, NodeKind::Kernel, std::move(Do)) : int(InvalidDeviceFunction));
}
int kcheck_graph_update_kernel(void *E, void *N, const void *F, Dim3 Grid, Dim3 Block, void **Args, size_t Shared) {
  API_CALL;
  GraphStep Do = launchStep(F, Grid, Block, Args, Shared, false);
  return G().fail(Do ? graphs().setStep(E, N, std::move(Do)) : int(InvalidDeviceFunction));
}
int kcheck_graph_dependencies(void **From, void **To, size_t Count) { API_CALL; return G().fail(graphs().addDependencies(From, To, Count)); }
int kcheck_graph_host(void **Out, void *Graph, void **Before, size_t Count, void (*F)(void *), void *Data) {
  API_CALL;
  return G().fail(graphs().add(Out, Graph, Before, Count, NodeKind::Host, hostStep([=] { F(Data); return int(Success); })));
}
int kcheck_graph_call(void **Out, void *Graph, void **Before, size_t Count, int Type, int (*F)(const void *), const void *Params, size_t Bytes) {
  API_CALL;
  std::vector<char> Copy(static_cast<const char *>(Params), static_cast<const char *>(Params) + Bytes);
  return G().fail(graphs().add(Out, Graph, Before, Count, NodeKind(Type), hostStep([=] { return F(Copy.data()); })));
}

} // extern "C"
