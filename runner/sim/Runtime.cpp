// What compiled kernels call: fuel, atomics, fences, warp operations, printf, local frames, cp.async, arithmetic
// that x86 lacks.
#include "runner/sim/Runtime.h"
#include "runner/sim/Shadow.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

using namespace kcheck;
using namespace kcheck::sim;

namespace {

Thread &self(ThreadContext *C) { return *static_cast<Thread *>(C); }
Engine &engineOf(const Thread &T) { return T.Owner->Owner->E; }

void start(protocol::Finding &F, const Thread &T) {
  F.Kernel = T.Owner->Owner->K.Name;
  F.Threads = {{blockName(*T.Owner), threadName(T)}};
}

void report(Thread &T, const char *Tag, uint32_t Site, const std::string &Message) {
  engineOf(T).Out.add(Tag, siteIndex(Site), ~0u, [&](protocol::Finding &F) {
    start(F, T);
    F.Message = Message;
  });
}

constexpr int64_t Quantum = 4096;
constexpr unsigned PollsBeforeYield = 32;

void yield(Thread &T, bool Spinning) {
  T.Spinning = Spinning;
  T.State = Wait::Ready;
  T.Owner->Queue.push_back(T.Linear);
  suspend(T);
}

/// Text of a simulated C string; cut where it leaves its variable.
std::string simulatedString(const char *P) {
  std::string S;
  for (uint64_t Off = uint64_t(P) - DataBase; S.size() < 4096 && Memory::exists(Off, 1); ++Off) {
    char C = *reinterpret_cast<const char *>(DataBase + Off);
    if (!C)
      break;
    S += C;
  }
  return S;
}

/// One conversion of a printf format with its argument from the packed argument block.
void formatOne(std::string &Out, const std::string &Spec, const char *Args, size_t &At) {
  char Conv = Spec.back();
  auto take = [&](size_t N) {
    At = (At + N - 1) / N * N;
    const char *P = Args + At;
    At += N;
    return P;
  };
  char Text[512];
  std::string Flags = Spec.substr(0, Spec.size() - 1);
  while (!Flags.empty() && strchr("hlLqjzt", Flags.back()))
    Flags.pop_back();
  bool Long = Spec.find('l') != std::string::npos || Spec.find('z') != std::string::npos || Spec.find('j') != std::string::npos || Spec.find('t') != std::string::npos;
  int N = 0;
  if (strchr("diuoxXc", Conv)) {
    long long V;
    if (Long) {
      memcpy(&V, take(8), 8);
    } else {
      int I;
      memcpy(&I, take(4), 4);
      V = strchr("di", Conv) ? I : (long long)(unsigned)I;
    }
    N = Conv == 'c' ? snprintf(Text, sizeof Text, (Flags + "c").c_str(), int(V))
                    : snprintf(Text, sizeof Text, (Flags + "ll" + Conv).c_str(), V);
  } else if (strchr("fFeEgGaA", Conv)) {
    double D;
    memcpy(&D, take(8), 8);
    N = snprintf(Text, sizeof Text, (Flags + Conv).c_str(), D);
  } else if (Conv == 's') {
    const char *S;
    memcpy(&S, take(8), 8);
    N = snprintf(Text, sizeof Text, (Flags + "s").c_str(), simulatedString(S).c_str());
  } else if (Conv == 'p') {
    void *V;
    memcpy(&V, take(8), 8);
    N = snprintf(Text, sizeof Text, "%p", V);
  }
  Out.append(Text, size_t(std::clamp(N, 0, int(sizeof Text) - 1)));
}

/// The vector unit does all of it; fesetround() would also set what nobody uses, and takes long.
template <typename F> auto withRounding(uint32_t Mode, F Do) {
  constexpr unsigned Nearest = 0, Down = 1, Up = 2, Zero = 3, Shift = 13; // in MXCSR
  constexpr unsigned Modes[] = {Nearest, Zero, Down, Up};
  const unsigned Old = __builtin_ia32_stmxcsr();
  __builtin_ia32_ldmxcsr((Old & ~(3u << Shift)) | Modes[Mode & 3] << Shift);
  auto R = Do();
  __builtin_ia32_ldmxcsr(Old);
  return R;
}

template <typename T> T roundedOp(uint32_t Op, uint32_t Mode, T A, T B, T C) {
  volatile T X = A, Y = B, Z = C;
  return withRounding(Mode, [&]() -> T {
    volatile T R;
    switch (Op) {
    case 0: R = X + Y; break;
    case 1: R = X * Y; break;
    case 2: R = X / Y; break;
    case 3: R = std::fma(T(X), T(Y), T(Z)); break;
    case 4: R = std::sqrt(T(X)); break;
    case 5: R = T(1) / X; break;
    default: R = X - Y; break;
    }
    return R;
  });
}

} // namespace

void sim::passEpoch(Thread &T) {
  WarpState &W = T.Owner->Warps[T.Warp];
  uint32_t E = std::max(W.Epoch, T.Epoch);
  if (E >= MaxEpoch) {
    T.Owner->NoWarpOrder = true;
    return;
  }
  T.Epoch = W.Epoch = E + 1;
  T.Owner->setRecord(T);
}

void sim::land(const PendingCopy &C) {
  memcpy(reinterpret_cast<void *>(C.To), C.Data, C.Bytes);
  Memory::markWritten(C.To - DataBase, C.Bytes);
}

void sim::letOthersRun(Thread &T) {
  yield(T, true);
  if (T.Owner->Owner->Stopped.load(std::memory_order_relaxed) != Stop::No)
    endThread(T);
}

/// Where the block itself sees what is published with its own scope only.
static uint64_t blockKey(const Thread &T, uint64_t Address) { return Address ^ uint64_t(T.Owner->Uid) << 44 ^ uint64_t(1) << 63; }

void sim::releaseAt(Thread &T, uint64_t Address, bool Fenced, bool Block) {
  bool Narrow = !isSharedOffset(Address - DataBase) && (Block || (!Fenced && T.FenceLevel < 2));
  if (Narrow)
    Address = blockKey(T, Address);
  if (Fenced) {
    engineOf(T).Sync.release(Address, T.Owner->Uid, T.Linear, T.Epoch, T.Owner->BarrierEpoch, T.Knows);
    passEpoch(T);
  } else if (T.FenceLevel) {
    engineOf(T).Sync.release(Address, T.Owner->Uid, T.Linear, T.FenceEpoch, T.FenceBarrier, T.Knows);
  }
}

extern "C" {

void kcheck_slow_fuel(ThreadContext *C, uint32_t Site) {
  Thread &T = self(C);
  Launch &L = *T.Owner->Owner;
  T.Iterations += uint64_t(Quantum - std::max<int64_t>(T.Fuel, 0));
  T.Fuel = Quantum;
  T.Op.Site = Site;
  if (L.Stopped.load(std::memory_order_relaxed) != Stop::No)
    endThread(T);
  if (T.Iterations > engineOf(T).Limits.LoopIterations) {
    report(T, "timeout", Site, "endless loop: thread " + threadName(T) + " of block " + blockName(*T.Owner) + " is still in this loop after " +
                                   std::to_string(T.Iterations / 1000000) + " million iterations");
    L.fail(protocol::Failure::Timeout, "a loop does not end");
    endThread(T);
  }
  if ((T.Iterations & 0xFFFFF) < uint64_t(Quantum) && engineOf(T).late()) {
    Stop Expected = Stop::No;
    L.Stopped.compare_exchange_strong(Expected, Stop::Slow);
    endThread(T);
  }
  if (T.StrongOps >= PollsBeforeYield) {
    T.StrongOps = 0;
    letOthersRun(T);
  }
}

/// Relaxed: it takes a fence behind the read to acquire.
void kcheck_rt_acquire(ThreadContext *C, void *P, uint64_t Value, uint32_t Relaxed) {
  Thread &T = self(C);
  // The same value from the same place again and again is polling.
  if (uint64_t(P) != T.PollAddress || Value != T.PollValue) {
    T.PollAddress = uint64_t(P);
    T.PollValue = Value;
    T.StrongOps = 0;
  } else if (++T.StrongOps >= PollsBeforeYield && T.Fuel > 0) {
    T.Iterations += uint64_t(Quantum - T.Fuel);
    T.Iterations -= std::min<uint64_t>(T.Iterations, uint64_t(Quantum)); // slow_fuel adds a whole quantum
    T.Fuel = 0;
  }
  if (engineOf(T).Sync.any()) {
    Acquired &To = Relaxed ? T.Sees : T.Knows;
    engineOf(T).Sync.acquire(uint64_t(P), To);
    engineOf(T).Sync.acquire(blockKey(T, uint64_t(P)), To);
  }
}

void *kcheck_rt_atomic(ThreadContext *C, void *P, uint32_t Site, uint32_t Bytes, uint32_t Flags) {
  Thread &T = self(C);
  if (T.Trace)
    kcheck_trace(C, P, Site, Bytes);
  uint64_t A = uint64_t(P);
  bool Plain = A % Bytes == 0;
  if (!checkAccess(T, A, Site, Bytes, Bytes, {.Reads = !(Flags & 8), .Writes = true, .Strong = true, .Block = (Flags & 1) != 0}) || !Plain) {
    memset(T.Scratch, 0, sizeof(T.Scratch));
    return T.Scratch;
  }
  if (Flags & 4) {
    Engine &E = engineOf(T);
    std::lock_guard<std::mutex> Guard(E.Lock);
    for (uint64_t G = (A - DataBase) & ~uint64_t(3); G < A - DataBase + Bytes; G += 4)
      E.CasGranules.insert(G);
  }
  if (engineOf(T).Code.Sites[siteIndex(Site)].Decides)
    noteDeciding(T, A, Bytes);
  givenBack(T, A);
  bool Block = Flags & 1;
  if ((Flags & 2) || T.FenceLevel)
    releaseAt(T, A, Flags & 2, Block);
  return P;
}

/// A compare-and-swap or exchange in a loop may have taken a lock.
void kcheck_rt_lock(ThreadContext *C, void *P, uint32_t Taken, uint32_t Site) {
  Thread &T = self(C);
  if (!Taken || isSharedOffset(uint64_t(P) - DataBase) || !engineOf(T).Checks.Races)
    return;
  T.Lock.Address = uint64_t(P);
  T.Lock.Site = Site;
  T.Lock.Level = 0;
  T.Lock.Accesses.clear();
  T.Trace |= TraceLock;
}

void kcheck_rt_fence(ThreadContext *C, uint32_t Level) {
  Thread &T = self(C);
  if (T.Lock.Address) {
    T.Lock.Level = std::max<uint8_t>(T.Lock.Level, uint8_t(Level));
    if (Level >= 2)
      T.Trace &= ~TraceLock;
  }
  merge(T.Knows, T.Sees);
  T.Sees.clear();
  T.FenceLevel = std::max<uint8_t>(T.FenceLevel, uint8_t(Level));
  T.FenceEpoch = T.Epoch;
  T.FenceBarrier = T.Owner->BarrierEpoch;
  passEpoch(T);
}

void kcheck_rt_yield(ThreadContext *C, uint32_t Site) {
  Thread &T = self(C);
  T.Op.Site = Site;
  letOthersRun(T);
}

void kcheck_rt_exit(ThreadContext *C) { endThread(self(C)); }

void kcheck_rt_stack(ThreadContext *C, uint32_t Site) {
  Thread &T = self(C);
  if (uint64_t(__builtin_frame_address(0)) > T.StackLimit)
    return;
  report(T, "stack_overflow", Site, "thread " + threadName(T) + " of block " + blockName(*T.Owner) + " recurses too deeply for its stack");
  T.Owner->Owner->fail(protocol::Failure::StackOverflow, "device stack overflow");
  endThread(T);
}

void kcheck_rt_trap(ThreadContext *C, uint32_t Site) {
  Thread &T = self(C);
  report(T, "device_assert", Site, "thread " + threadName(T) + " of block " + blockName(*T.Owner) + " executes a trap");
  T.Owner->Owner->fail(protocol::Failure::DeviceAssert, "device trap");
  endThread(T);
}

void kcheck_rt_assert(ThreadContext *C, void *Text, uint32_t Line, uint32_t Site) {
  Thread &T = self(C);
  std::string What = simulatedString(static_cast<char *>(Text));
  report(T, "device_assert", Site, "assertion '" + What + "' fails in thread " + threadName(T) + " of block " + blockName(*T.Owner) + " (line " + std::to_string(Line) + ")");
  T.Owner->Owner->fail(protocol::Failure::DeviceAssert, "device assertion '" + What + "' failed");
  endThread(T);
}

void kcheck_rt_unsupported(ThreadContext *C, const char *What, uint32_t Site) {
  Thread &T = self(C);
  report(T, "unsupported_by_simulator", Site, std::string("the simulator does not know ") + What);
  T.Owner->Owner->fail(protocol::Failure::Unsupported, std::string("the simulator does not know ") + What);
  endThread(T);
}

void *kcheck_rt_callee(ThreadContext *C, void *Function, uint32_t Site) {
  Thread &T = self(C);
  // A device function lies in compiled code: anything in simulated memory or near zero is a wild pointer.
  uint64_t A = uint64_t(Function);
  if (A >= 1 << 16 && !(A >= DataBase && A < DataBase + DataSize) && isCode(A))
    return Function;
  report(T, A < 1 << 16 ? "null_access" : "illegal_address", Site, "thread " + threadName(T) + " of block " + blockName(*T.Owner) + " calls through a pointer to no function");
  T.Owner->Owner->fail(protocol::Failure::IllegalAddress, "call through a wild function pointer");
  endThread(T);
}

//===--- local memory -------------------------------------------------------===//

uint64_t kcheck_rt_enter(ThreadContext *C, uint32_t Index, uint32_t Site) {
  Thread &T = self(C);
  const Frame &F = engineOf(T).Code.Frames[Index];
  uint64_t Base = T.LocalTop;
  if (Base + F.Bytes > T.LocalEnd) {
    report(T, "stack_overflow", Site, "local memory of thread " + threadName(T) + " of block " + blockName(*T.Owner) + " is used up (" +
                                          std::to_string(F.Bytes) + " bytes more are needed)");
    T.Owner->Owner->fail(protocol::Failure::StackOverflow, "local memory is used up");
    endThread(T);
  }
  for (const Frame::Slot &S : F.Slots)
    Memory::mark(Base - DataBase + S.Offset, S.Bytes, true, false);
  T.LocalTop = Base + F.Bytes;
  T.Frames.push_back({Base, Index});
  return Base;
}

void kcheck_rt_leave(ThreadContext *C, uint64_t Base) {
  Thread &T = self(C);
  Memory::mark(Base - DataBase, T.LocalTop - Base, false, false);
  T.LocalTop = Base;
  while (!T.Frames.empty() && T.Frames.back().Base >= Base)
    T.Frames.pop_back();
}

void *kcheck_rt_alloca(ThreadContext *C, uint64_t Bytes, uint32_t Site) {
  Thread &T = self(C);
  uint64_t Base = (T.LocalTop + 63) & ~uint64_t(15);
  if (Bytes > LocalSlot || Base + Bytes + 64 > T.LocalEnd) {
    report(T, "stack_overflow", Site, "alloca of " + std::to_string(Bytes) + " bytes does not fit local memory");
    T.Owner->Owner->fail(protocol::Failure::StackOverflow, "local memory is used up");
    endThread(T);
  }
  Memory::mark(Base - DataBase, Bytes, true, false);
  T.LocalTop = Base + Bytes + 48;
  return reinterpret_cast<void *>(Base);
}

//===--- copies -------------------------------------------------------------===//

void kcheck_rt_memset(ThreadContext *C, void *To, uint8_t Value, uint64_t Bytes, uint32_t Site) {
  Thread &T = self(C);
  if (Bytes && checkAccess(T, uint64_t(To), Site, Bytes, 1, {.Writes = true}))
    memset(To, Value, Bytes);
}

/// Flags: 1 the source is a kernel parameter; from bit 8 the target's alignment, from bit 16 the source's.
void kcheck_rt_memcpy(ThreadContext *C, void *To, void *From, uint64_t Bytes, uint32_t Site, uint32_t Flags) {
  Thread &T = self(C);
  if (!Bytes)
    return;
  bool FromParameter = Flags & 1;
  uint64_t FromOff = uint64_t(From) - DataBase, ToOff = uint64_t(To) - DataBase;
  // Copying a struct's padding is no fault; using it later is, and the copy carries that along. A source of
  // which nothing was written is no padding.
  bool Nothing = !FromParameter && Memory::exists(FromOff, Bytes) && Memory::unwrittenBytes(FromOff, Bytes) == Bytes;
  bool CanRead = FromParameter || checkAccess(T, uint64_t(From), Site, Bytes, Flags >> 16 & 255, {.Reads = Nothing});
  bool CanWrite = checkAccess(T, uint64_t(To), Site, Bytes, Flags >> 8 & 255, {.Writes = true});
  if (!CanRead || !CanWrite)
    return;
  std::vector<uint8_t> Holes;
  if (!FromParameter && !Memory::written(FromOff, Bytes)) {
    Holes.resize(Bytes);
    for (uint64_t I = 0; I < Bytes; ++I)
      Holes[I] = !Memory::written(FromOff + I, 1);
  }
  memmove(To, From, Bytes);
  for (uint64_t I = 0; I < Holes.size(); ++I)
    if (Holes[I])
      Memory::mark(ToOff + I, 1, true, false);
}

void kcheck_rt_cp_async(ThreadContext *C, void *To, void *From, uint32_t Bytes, uint32_t FromBytes, uint32_t Site) {
  Thread &T = self(C);
  FromBytes = std::min(FromBytes, Bytes);
  if (T.Trace)
    kcheck_trace(C, From, Site, FromBytes);
  PendingCopy P;
  P.To = uint64_t(To);
  P.Bytes = std::min<uint32_t>(Bytes, 16);
  P.Group = T.CopyGroup;
  P.Site = Site;
  memset(P.Data, 0, sizeof P.Data);
  if (FromBytes && checkAccess(T, uint64_t(From), Site, FromBytes, Bytes, {.Reads = true}))
    memcpy(P.Data, From, FromBytes);
  if (!checkAccess(T, P.To, Site, Bytes, Bytes, {.Writes = true}))
    return;
  // Until the copy is waited for, nothing is there.
  Memory::mark(P.To - DataBase, P.Bytes, true, false);
  T.Copies.push_back(P);
}

void kcheck_rt_cp_commit(ThreadContext *C) { ++self(C).CopyGroup; }

void kcheck_rt_cp_wait(ThreadContext *C, uint32_t Pending, uint32_t Site) {
  Thread &T = self(C);
  // Groups up to the last but Pending are complete; wait.all (~0) also takes what was not committed.
  int64_t Keep = Pending == ~0u ? -1 : int64_t(Pending);
  landCopies(T, [&](const PendingCopy &P) { return !P.Bulk && (Keep < 0 || int64_t(P.Group) < int64_t(T.CopyGroup) - Keep); });
  passEpoch(T);
  (void)Site;
}

//===--- warp operations ----------------------------------------------------===//

uint32_t kcheck_rt_shfl(ThreadContext *C, uint32_t Mode, uint32_t Mask, uint32_t Value, uint32_t B, uint32_t Clamp, uint8_t *Pred, uint32_t Site) {
  Thread &T = self(C);
  T.Op = {WarpOp::Shuffle, uint8_t(Mode), Mask, Site, Value, B, Clamp};
  arriveWarp(T);
  if (Pred)
    *Pred = T.Op.Predicate;
  return uint32_t(T.Op.Result);
}

uint32_t kcheck_rt_vote(ThreadContext *C, uint32_t Mode, uint32_t Mask, uint32_t Pred, uint32_t Site) {
  Thread &T = self(C);
  T.Op = {WarpOp::Vote, uint8_t(Mode), Mask, Site, Pred};
  arriveWarp(T);
  return uint32_t(T.Op.Result);
}

uint32_t kcheck_rt_match(ThreadContext *C, uint32_t All, uint32_t Mask, uint64_t Value, uint8_t *Pred, uint32_t Site) {
  Thread &T = self(C);
  T.Op = {WarpOp::Match, uint8_t(All), Mask, Site, Value};
  arriveWarp(T);
  if (Pred)
    *Pred = T.Op.Predicate;
  return uint32_t(T.Op.Result);
}

uint32_t kcheck_rt_redux(ThreadContext *C, uint32_t Op, uint32_t Mask, uint32_t Value, uint32_t Site) {
  Thread &T = self(C);
  T.Op = {WarpOp::Redux, uint8_t(Op), Mask, Site, Value};
  arriveWarp(T);
  return uint32_t(T.Op.Result);
}

void kcheck_rt_syncwarp(ThreadContext *C, uint32_t Mask, uint32_t Site) {
  Thread &T = self(C);
  T.Op = {WarpOp::Sync, 0, Mask, Site};
  arriveWarp(T);
}

uint32_t kcheck_rt_activemask(ThreadContext *C, uint32_t Site) {
  Thread &T = self(C);
  T.Op = {WarpOp::Active, 0, 0, Site};
  T.State = Wait::Active;
  suspend(T);
  return uint32_t(T.Op.Result);
}

void kcheck_rt_barrier(ThreadContext *C, uint32_t Id, uint32_t Count, uint32_t Site) {
  arriveBarrier(self(C), Id, Count, Site, 0, 0, true);
}
uint32_t kcheck_rt_barrier_red(ThreadContext *C, uint32_t Id, uint32_t Count, uint32_t Op, uint32_t Pred, uint32_t Site) {
  arriveBarrier(self(C), Id, Count, Site, Pred, Op, true);
  return barrierResult(self(C), Id);
}
void kcheck_rt_barrier_arrive(ThreadContext *C, uint32_t Id, uint32_t Count, uint32_t Site) {
  arriveBarrier(self(C), Id, Count, Site, 0, 0, false);
}

/// All lanes of the warp bring data; each gets the table of the lanes' data, which stays valid until the
/// warp's next operation.
void **kcheck_collect(ThreadContext *C, void *Data, uint32_t Mask, uint32_t Site) {
  Thread &T = self(C);
  T.Op = {WarpOp::Collect, 0, Mask, Site};
  T.Brought = Data;
  arriveWarp(T);
  thread_local void *Table[32];
  for (uint32_t L = 0; L < 32; ++L) {
    uint32_t I = T.Warp * 32 + L;
    Table[L] = I < T.Owner->Count && (Mask >> L & 1) ? T.Owner->Threads[I].Brought : nullptr;
  }
  return Table;
}

//===--- printf and the heap ------------------------------------------------===//

int32_t kcheck_rt_printf(ThreadContext *C, void *Format, void *Args, uint32_t Site) {
  Thread &T = self(C);
  (void)Site;
  std::string F = simulatedString(static_cast<char *>(Format)), Out;
  size_t At = 0;
  int32_t Count = 0;
  for (size_t I = 0; I < F.size(); ++I) {
    if (F[I] != '%') {
      Out += F[I];
      continue;
    }
    if (I + 1 < F.size() && F[I + 1] == '%') {
      Out += '%';
      ++I;
      continue;
    }
    size_t End = F.find_first_of("diouxXcfFeEgGaAsp", I + 1);
    if (End == std::string::npos || End - I > 32)
      break;
    std::string Spec = F.substr(I, End - I + 1);
    if (Spec.find('*') != std::string::npos || Spec.find_first_not_of("%-+ #0123456789.hlLqjztdiouxXcfFeEgGaAsp") != std::string::npos)
      break;
    formatOne(Out, Spec, static_cast<char *>(Args), At);
    ++Count;
    I = End;
  }
  Engine &E = engineOf(T);
  std::lock_guard<std::mutex> Guard(E.Lock);
  if (E.Printed.size() < 64 << 10)
    E.Printed += Out;
  return Count;
}

void *kcheck_rt_malloc(ThreadContext *C, uint64_t Bytes, uint32_t Site) {
  Thread &T = self(C);
  (void)Site;
  Engine &E = engineOf(T);
  {
    std::lock_guard<std::mutex> Guard(E.Lock);
    if (E.HeapUsed + Bytes > E.HeapLimit)
      return nullptr;
    E.HeapUsed += Bytes;
  }
  return reinterpret_cast<void *>(E.Mem.allocate("device heap block", Bytes, 1, false));
}

void kcheck_rt_free(ThreadContext *C, void *P, uint32_t Site) {
  Thread &T = self(C);
  if (P && !engineOf(T).Mem.release(uint64_t(P)))
    report(T, "double_free", Site, "thread " + threadName(T) + " of block " + blockName(*T.Owner) + " frees memory that is not allocated");
}

//===--- arithmetic ---------------------------------------------------------===//

uint64_t kcheck_rt_clock(ThreadContext *C) {
  (void)C;
  return uint64_t(std::chrono::steady_clock::now().time_since_epoch().count());
}

uint32_t kcheck_rt_prmt(ThreadContext *, uint32_t A, uint32_t B, uint32_t S) {
  uint64_t Bytes = uint64_t(B) << 32 | A;
  uint32_t R = 0;
  for (unsigned I = 0; I < 4; ++I) {
    uint32_t Sel = S >> (4 * I) & 15;
    uint32_t V = uint32_t(Bytes >> (8 * (Sel & 7)) & 255);
    if (Sel & 8)
      V = V & 128 ? 255 : 0;
    R |= V << (8 * I);
  }
  return R;
}

uint32_t kcheck_rt_fns(ThreadContext *, uint32_t Mask, uint32_t Base, uint32_t Offset) {
  int32_t N = int32_t(Offset);
  Base &= 31;
  if (N == 0)
    return Mask >> Base & 1 ? Base : ~0u;
  int Step = N > 0 ? 1 : -1, Left = std::abs(N);
  for (int I = int(Base); I >= 0 && I < 32; I += Step)
    if (Mask >> I & 1 && --Left == 0)
      return uint32_t(I);
  return ~0u;
}

float kcheck_rt_round_f32(ThreadContext *, uint32_t Op, uint32_t Mode, float A, float B, float C) { return roundedOp(Op, Mode, A, B, C); }
double kcheck_rt_round_f64(ThreadContext *, uint32_t Op, uint32_t Mode, double A, double B, double C) { return roundedOp(Op, Mode, A, B, C); }
float kcheck_rt_d2f(ThreadContext *, double V, uint32_t Mode) {
  volatile double X = V;
  return withRounding(Mode, [&]() -> float { volatile float R = float(X); return R; });
}
float kcheck_rt_i2f(ThreadContext *, uint64_t V, uint32_t Unsigned, uint32_t Mode) {
  volatile uint64_t X = V;
  return withRounding(Mode, [&]() -> float { volatile float R = Unsigned ? float(X) : float(int64_t(X)); return R; });
}
double kcheck_rt_i2d(ThreadContext *, uint64_t V, uint32_t Unsigned, uint32_t Mode) {
  volatile uint64_t X = V;
  return withRounding(Mode, [&]() -> double { volatile double R = Unsigned ? double(X) : double(int64_t(X)); return R; });
}

} // extern "C"
