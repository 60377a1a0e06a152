// The runtime's memory calls: allocations, copies, sets, symbols.
#include "runner/sim/host/ShimSupport.h"
#include <cstring>

using namespace kcheck::sim;

namespace {

HostDevice &D() { return hostDevice(); }

int allocateInto(void **Out, uint64_t Bytes, bool HostVisible) {
  if (!Out)
    return D().fail(InvalidValue);
  if (D().sticky())
    return D().sticky();
  *Out = nullptr;
  if (!Bytes)
    return Success;
  *Out = D().allocate(Bytes, HostVisible);
  return *Out ? Success : D().fail(MemoryAllocation);
}

int copyBytes(const char *Call, void *To, const void *From, size_t N, int Kind, void *Stream, bool Async) {
  D().transfer(Call, streamOf(Stream), !Async, To, From, N);
  return D().copy(To, From, N, CopyKind(Kind), Async);
}

int setBytes(const char *Call, void *To, int V, size_t N, void *Stream) {
  D().transfer(Call, streamOf(Stream), false, To, nullptr, N);
  return D().set(To, V, N);
}

int copyRows(void *To, uint64_t ToPitch, const void *From, uint64_t FromPitch, uint64_t Width, uint64_t Height, int Kind, void *Stream, bool Async) {
  if (Width > ToPitch || Width > FromPitch) {
    D().report("memcpy_size", "rows of " + std::to_string(Width) + " bytes with a pitch of " + std::to_string(std::min(ToPitch, FromPitch)) + ": nothing is copied");
    return D().fail(InvalidPitch);
  }
  D().transfer(Async ? "cudaMemcpy2DAsync" : "cudaMemcpy2D", streamOf(Stream), !Async, To, From, Width, ToPitch, FromPitch, Height);
  OpenMemory Open(D());
  for (uint64_t Y = 0; Y < Height; ++Y)
    if (int E = D().copy(static_cast<char *>(To) + Y * ToPitch, static_cast<const char *>(From) + Y * FromPitch, Width, CopyKind(Kind), Async))
      return E;
  return Success;
}

int copySymbol(const void *Symbol, void *Other, uint64_t Bytes, uint64_t Offset, bool ToSymbol, int Kind, bool Async) {
  uint64_t Size = 0, A = D().symbol(Symbol, &Size);
  if (!A) {
    if (D().isDevice(Symbol))
      A = uint64_t(Symbol), Size = ~uint64_t(0);
    else
      return D().fail(InvalidSymbol);
  }
  if (Size != ~uint64_t(0) && (Offset > Size || Bytes > Size - Offset)) {
    D().report("memcpy_size", std::string("copy of ") + std::to_string(Bytes) + " bytes " + (ToSymbol ? "to" : "from") + " a variable of " + std::to_string(Size) +
                                  " bytes" + (Offset ? " at offset " + std::to_string(Offset) : ""));
    return D().fail(InvalidValue);
  }
  void *At = reinterpret_cast<void *>(A + Offset);
  CopyKind K = CopyKind(Kind);
  return ToSymbol ? D().copy(At, Other, Bytes, K, Async) : D().copy(Other, At, Bytes, K, Async);
}

/// Memory that graphs free.
std::vector<void *> GraphFreed;

/// Start and bytes of host memory that the program has registered.
std::map<uint64_t, uint64_t> Registered;

} // namespace

void kcheck::sim::releaseGraphMemory() {
  for (void *P : GraphFreed)
    if (const Allocation *A = D().find(P); A && !A->Freed)
      D().release(P, false);
  GraphFreed.clear();
}

bool kcheck::sim::isRegistered(uint64_t Address) {
  auto It = Registered.upper_bound(Address);
  return It != Registered.begin() && Address - std::prev(It)->first < std::prev(It)->second;
}

extern "C" {

static int cudaMalloc(void **P, size_t N) { API_CALL; return allocateInto(P, N, false); }
static int cudaMallocManaged(void **P, size_t N, unsigned) { API_CALL; return allocateInto(P, N, true); }
static int cudaMallocHost(void **P, size_t N) { API_CALL; return allocateInto(P, N, true); }
static int cudaHostAlloc(void **P, size_t N, unsigned) { API_CALL; return allocateInto(P, N, true); }
static int cudaMallocAsync(void **P, size_t N, void *) { API_CALL; return allocateInto(P, N, false); }
static int cudaMallocFromPoolAsync(void **P, size_t N, void *, void *) { API_CALL; return allocateInto(P, N, false); }
static int cudaMallocPitch(void **P, size_t *Pitch, size_t Width, size_t Height) {
  API_CALL;
  *Pitch = (Width + 511) / 512 * 512;
  return allocateInto(P, *Pitch * Height, false);
}
static int cudaFree(void *P) { API_CALL; return D().sticky() ? D().sticky() : D().release(P, false); }
static int cudaFreeHost(void *P) { API_CALL; return D().release(P, true); }
static int cudaFreeAsync(void *P, void *Stream) {
  API_CALL;
  // A graph gives the memory back each time it runs: what it uses stays until the end.
  if (captured(Stream, [] { return int(Success); })) {
    GraphFreed.push_back(P);
    return Success;
  }
  if (const Allocation *A = D().find(P); A && !A->Freed)
    D().transfer("cudaFreeAsync", streamOf(Stream), false, P, nullptr, A->Bytes);
  return D().release(P, false, /*Waits=*/false);
}

// Registered memory stays the host's: copies work as before, and a kernel that is given it is refused (isRegistered).
static int cudaHostRegister(void *P, size_t N, unsigned) {
  API_CALL;
  if (!P || !N)
    return D().fail(InvalidValue);
  if (isRegistered(uint64_t(P)))
    return D().fail(712);
  Registered[uint64_t(P)] = N;
  return Success;
}
static int cudaHostUnregister(void *P) { API_CALL; return Registered.erase(uint64_t(P)) ? Success : D().fail(713); }
static int cudaHostGetDevicePointer(void **Out, void *P, unsigned) {
  API_CALL;
  if (isRegistered(uint64_t(P))) {
    *Out = P; // what a kernel does with it is another matter
    return Success;
  }
  *Out = P;
  return D().isDevice(P) ? Success : D().fail(InvalidValue);
}
static int cudaHostGetFlags(unsigned *Flags, void *) { API_CALL; *Flags = 0; return Success; }

static int cudaMemcpy(void *To, const void *From, size_t N, int Kind) { API_CALL; return copyBytes("cudaMemcpy", To, From, N, Kind, nullptr, false); }
static int cudaMemcpyAsync(void *To, const void *From, size_t N, int Kind, void *Stream) {
  API_CALL;
  if (captured(Stream, [=] { return D().copy(To, From, N, CopyKind(Kind), true); }))
    return Success;
  return copyBytes("cudaMemcpyAsync", To, From, N, Kind, Stream, true);
}
static int cudaMemcpyPeer(void *To, int, const void *From, int, size_t N) { API_CALL; return D().copy(To, From, N, CopyKind::Default, false); }
static int cudaMemcpyPeerAsync(void *To, int, const void *From, int, size_t N, void *) { API_CALL; return D().copy(To, From, N, CopyKind::Default, true); }
static int cudaMemcpy2D(void *To, size_t TP, const void *From, size_t FP, size_t W, size_t H, int Kind) {
  API_CALL;
  return copyRows(To, TP, From, FP, W, H, Kind, nullptr, false);
}
static int cudaMemcpy2DAsync(void *To, size_t TP, const void *From, size_t FP, size_t W, size_t H, int Kind, void *Stream) {
  API_CALL;
  if (captured(Stream, [=] { return copyRows(To, TP, From, FP, W, H, Kind, Stream, true); }))
    return Success;
  return copyRows(To, TP, From, FP, W, H, Kind, Stream, true);
}
static int cudaMemset(void *To, int V, size_t N) { API_CALL; return setBytes("cudaMemset", To, V, N, nullptr); }
static int cudaMemsetAsync(void *To, int V, size_t N, void *Stream) {
  API_CALL;
  if (captured(Stream, [=] { return D().set(To, V, N); }))
    return Success;
  return setBytes("cudaMemsetAsync", To, V, N, Stream);
}
static int cudaMemset2D(void *To, size_t Pitch, int V, size_t W, size_t H) {
  API_CALL;
  for (size_t Y = 0; Y < H; ++Y)
    if (int E = D().set(static_cast<char *>(To) + Y * Pitch, V, W))
      return E;
  return Success;
}
static int cudaMemset2DAsync(void *To, size_t Pitch, int V, size_t W, size_t H, void *) { return cudaMemset2D(To, Pitch, V, W, H); }

static int cudaMemcpyToSymbol(const void *S, const void *From, size_t N, size_t Offset, int Kind) {
  API_CALL;
  return copySymbol(S, const_cast<void *>(From), N, Offset, true, Kind, false);
}
static int cudaMemcpyFromSymbol(void *To, const void *S, size_t N, size_t Offset, int Kind) {
  API_CALL;
  return copySymbol(S, To, N, Offset, false, Kind, false);
}
static int cudaMemcpyToSymbolAsync(const void *S, const void *From, size_t N, size_t Offset, int Kind, void *Stream) {
  API_CALL;
  auto Do = [=] { return copySymbol(S, const_cast<void *>(From), N, Offset, true, Kind, true); };
  return captured(Stream, Do) ? Success : Do();
}
static int cudaMemcpyFromSymbolAsync(void *To, const void *S, size_t N, size_t Offset, int Kind, void *Stream) {
  API_CALL;
  auto Do = [=] { return copySymbol(S, To, N, Offset, false, Kind, true); };
  return captured(Stream, Do) ? Success : Do();
}
static int cudaGetSymbolAddress(void **Out, const void *S) {
  API_CALL;
  *Out = reinterpret_cast<void *>(D().symbol(S));
  return *Out ? Success : D().fail(InvalidSymbol);
}
static int cudaGetSymbolSize(size_t *Out, const void *S) {
  API_CALL;
  uint64_t N = 0;
  if (!D().symbol(S, &N))
    return D().fail(InvalidSymbol);
  *Out = N;
  return Success;
}
static int cudaMemGetInfo(size_t *Free, size_t *Total) {
  API_CALL;
  *Total = D().Mem.limit();
  *Free = D().Mem.limit() - D().Mem.used();
  return Success;
}

/// For the glue: 0 host, 1 host-visible, 2 device; Base and Bytes of the allocation.
static int kcheck_host_pointer(const void *P, void **Base, size_t *Bytes) {
  API_CALL;
  return D().pointer(P, Base, Bytes);
}

} // extern "C"

void kcheck::sim::addMemory(Table &T) {
  SHIM(cudaMalloc); SHIM(cudaMallocManaged); SHIM(cudaMallocHost); SHIM(cudaHostAlloc); SHIM(cudaMallocAsync);
  SHIM(cudaMallocFromPoolAsync); SHIM(cudaMallocPitch); SHIM(cudaFree); SHIM(cudaFreeHost); SHIM(cudaFreeAsync);
  SHIM(cudaHostRegister); SHIM(cudaHostUnregister); SHIM(cudaHostGetDevicePointer); SHIM(cudaHostGetFlags);
  SHIM(cudaMemcpy); SHIM(cudaMemcpyAsync); SHIM(cudaMemcpyPeer); SHIM(cudaMemcpyPeerAsync); SHIM(cudaMemcpy2D);
  SHIM(cudaMemcpy2DAsync); SHIM(cudaMemset); SHIM(cudaMemsetAsync); SHIM(cudaMemset2D); SHIM(cudaMemset2DAsync);
  SHIM(cudaMemcpyToSymbol); SHIM(cudaMemcpyFromSymbol); SHIM(cudaMemcpyToSymbolAsync); SHIM(cudaMemcpyFromSymbolAsync);
  SHIM(cudaGetSymbolAddress); SHIM(cudaGetSymbolSize); SHIM(cudaMemGetInfo); SHIM(kcheck_host_pointer);
}
