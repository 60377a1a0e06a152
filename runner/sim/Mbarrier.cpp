// Barrier objects in shared memory (mbarrier): what cuda::barrier and cuda::pipeline stand on.
//
//   63 parity of the phase   62..40 bytes under way (signed)   39..20 expected arrivals   19..0 arrivals still to come
//
// A token is the word as it was before the arrival. Threads of a block run on one OS thread: no two calls meet.
#include "runner/sim/Runtime.h"
#include "runner/sim/Shadow.h"
#include <algorithm>
#include <cstring>

using namespace kcheck;
using namespace kcheck::sim;

namespace {

Thread &self(ThreadContext *C) { return *static_cast<Thread *>(C); }
Engine &engineOf(const Thread &T) { return T.Owner->Owner->E; }

constexpr uint64_t CountMask = (uint64_t(1) << 20) - 1;
constexpr unsigned ExpectedShift = 20, BytesShift = 40, ParityShift = 63;
constexpr int64_t BytesMask = (int64_t(1) << 23) - 1;

struct Phase {
  uint64_t Pending, Expected;
  int64_t Bytes;
  bool Parity;
  explicit Phase(uint64_t W)
      : Pending(W & CountMask), Expected(W >> ExpectedShift & CountMask), Bytes(int64_t(W << 1) >> (BytesShift + 1)), Parity(W >> ParityShift) {}
  uint64_t word() const {
    return Pending | Expected << ExpectedShift | uint64_t(Bytes & BytesMask) << BytesShift | uint64_t(Parity) << ParityShift;
  }
};

uint64_t &wordAt(void *P) { return *static_cast<uint64_t *>(P); }

/// Where the block's threads publish through this barrier.
uint64_t key(const Thread &T, const void *P) { return uint64_t(P) ^ uint64_t(T.Owner->Uid) << 44; }

bool usable(Thread &T, void *P, uint32_t Site, bool Reads) {
  return checkAccess(T, uint64_t(P), Site, 8, 8, {.Reads = Reads, .Writes = !Reads, .Strong = Reads, .Block = Reads});
}

void misuse(Thread &T, uint32_t Site, const std::string &What) {
  engineOf(T).Out.add("barrier_divergence", siteIndex(Site), ~0u, [&](protocol::Finding &F) {
    F.Kernel = T.Owner->Owner->K.Name;
    F.Threads = {{blockName(*T.Owner), threadName(T)}};
    F.Message = "thread " + threadName(T) + " of block " + blockName(*T.Owner) + " " + What;
  });
}

/// Copies that the phase waited for are there now.
void settle(Thread &T, void *P, Phase &S) {
  if (S.Pending || S.Bytes)
    return;
  S.Parity = !S.Parity;
  S.Pending = S.Expected;
  Block &B = *T.Owner;
  B.Progress = true;
  B.Phases[uint64_t(P)] = engineOf(T).Sync.published(key(T, P));
  for (uint32_t I = 0; I < B.Count; ++I)
    landCopies(B.Threads[I], [&](const PendingCopy &C) { return C.Barrier == uint64_t(P); });
}

uint64_t arrive(Thread &T, void *P, uint64_t Count, int64_t Bytes, bool Drop, uint32_t Site) {
  if (!usable(T, P, Site, true))
    return 0;
  Engine &E = engineOf(T);
  E.Sync.release(key(T, P), T.Owner->Uid, T.Linear, T.Epoch, T.Owner->BarrierEpoch, T.Knows);
  passEpoch(T);
  const uint64_t Before = wordAt(P);
  Phase S(Before);
  if (Count > S.Pending) {
    if (E.Checks.Sync)
      misuse(T, Site, "arrives at a barrier of " + std::to_string(S.Expected) + " arrivals that expects " + std::to_string(S.Pending) + " more in this phase");
    Count = S.Pending;
  }
  S.Pending -= Count;
  S.Bytes += Bytes;
  if (Drop && S.Expected)
    --S.Expected;
  settle(T, P, S);
  wordAt(P) = S.word();
  return Before;
}

/// What an answer to a wait means for the thread that asks.
uint32_t waited(Thread &T, void *P, bool Done, uint32_t Site) {
  if (Done) {
    merge(T.Knows, T.Owner->Phases[uint64_t(P)]);
    return 1;
  }
  T.Op.Site = Site;
  T.PollAddress = uint64_t(P);
  letOthersRun(T);
  return 0;
}

} // namespace

extern "C" {

void kcheck_rt_mbarrier_init(ThreadContext *C, void *P, uint32_t Count, uint32_t Site) {
  Thread &T = self(C);
  if (!usable(T, P, Site, false))
    return;
  Phase S(0);
  S.Pending = S.Expected = Count & CountMask;
  wordAt(P) = S.word();
}

/// Nothing may use it after that without another init.
void kcheck_rt_mbarrier_inval(ThreadContext *C, void *P, uint32_t Site) {
  if (usable(self(C), P, Site, false))
    Memory::mark(uint64_t(P) - DataBase, 8, true, false);
}

/// Bytes: what asynchronous copies will bring besides.
uint64_t kcheck_rt_mbarrier_arrive(ThreadContext *C, void *P, uint32_t Count, uint32_t Bytes, uint32_t Drop, uint32_t Site) {
  return arrive(self(C), P, Count, Bytes, Drop, Site);
}

/// Parity: the token is the parity of the phase to wait for.
uint32_t kcheck_rt_mbarrier_test(ThreadContext *C, void *P, uint64_t Token, uint32_t Parity, uint32_t Site) {
  Thread &T = self(C);
  if (!usable(T, P, Site, true))
    return 1;
  bool Wanted = Parity ? Token & 1 : Phase(Token).Parity;
  return waited(T, P, Phase(wordAt(P)).Parity != Wanted, Site);
}

uint32_t kcheck_rt_mbarrier_pending(ThreadContext *, uint64_t Token) { return uint32_t(Phase(Token).Pending); }

/// The thread's copies so far belong to the barrier's phase. NoInc: their end counts as one of the expected arrivals.
void kcheck_rt_mbarrier_copies(ThreadContext *C, void *P, uint32_t NoInc, uint32_t Site) {
  Thread &T = self(C);
  for (PendingCopy &Copy : T.Copies)
    if (!Copy.Barrier)
      Copy.Barrier = uint64_t(P);
  if (NoInc)
    arrive(T, P, 1, 0, false, Site);
  else if (usable(T, P, Site, true))
    engineOf(T).Sync.release(key(T, P), T.Owner->Uid, T.Linear, T.Epoch, T.Owner->BarrierEpoch, T.Knows);
}

/// A bulk copy to shared memory: what it brings is there once the barrier's phase ends.
void kcheck_rt_bulk_load(ThreadContext *C, void *To, void *From, uint32_t Bytes, void *P, uint32_t Site) {
  Thread &T = self(C);
  constexpr uint32_t Piece = 16;
  if (!checkAccess(T, uint64_t(From), Site, Bytes, Piece, {.Reads = true}) || !checkAccess(T, uint64_t(To), Site, Bytes, Piece, {.Writes = true}))
    return;
  for (uint32_t At = 0; At < Bytes; At += Piece) {
    PendingCopy Copy;
    Copy.To = uint64_t(To) + At;
    Copy.Bytes = std::min(Piece, Bytes - At);
    Copy.Site = Site;
    Copy.Bulk = true;
    Copy.Barrier = uint64_t(P);
    memcpy(Copy.Data, static_cast<char *>(From) + At, Copy.Bytes);
    T.Copies.push_back(Copy);
  }
  Memory::mark(uint64_t(To) - DataBase, Bytes, true, false);
  arrive(T, P, 0, -int64_t(Bytes), false, Site);
}

/// A bulk copy out of shared memory.
void kcheck_rt_bulk_store(ThreadContext *C, void *To, void *From, uint32_t Bytes, uint32_t Site) {
  Thread &T = self(C);
  if (checkAccess(T, uint64_t(From), Site, Bytes, 16, {.Reads = true}) && checkAccess(T, uint64_t(To), Site, Bytes, 16, {.Writes = true}))
    memcpy(To, From, Bytes);
}

} // extern "C"
