// Locks without a fence behind their acquisition: what the thread does inside may happen before the lock is taken.
//
// A thread that has swapped a lock's value is watched until it gives the lock back: accesses before its first fence of
// a scope wide enough are kept, and are a doubt when another thread works on the same bytes.
#include "runner/sim/Engine.h"

using namespace kcheck;
using namespace kcheck::sim;

namespace {

constexpr size_t MostWatched = 64, MostKept = 1024;

bool writes(const Site &S) { return S.Kind == SiteStore || S.Kind == SiteVolatileStore; }

uint32_t uidOf(uint64_t R) { return uint32_t(R >> UidShift); }
uint32_t threadOf(uint64_t R) { return uint32_t(R >> ThreadShift & 1023); }

/// Whether the record is another thread's of this launch that the fence of that level does not order.
bool meets(const Launch &L, uint64_t R, uint32_t Uid, uint32_t Thread, uint8_t Level) {
  uint32_t Other = uidOf(R);
  if (!R || Other < L.Record.FirstUid || Other >= L.Record.FirstUid + L.Record.Count)
    return false;
  return Other == Uid ? Level < 1 && threadOf(R) / 32 != Thread / 32 : Level < 2;
}

/// The record that conflicts with an access, or 0.
uint64_t conflict(const Launch &L, const HeldLock::Access &A, uint32_t Uid, uint32_t Thread, bool &OtherWrites) {
  uint64_t W = *Memory::writer(A.Offset);
  OtherWrites = true;
  if (meets(L, W, Uid, Thread, A.Level))
    return W;
  OtherWrites = false;
  for (uint64_t R : {*Memory::reader(A.Offset), *Memory::reader2(A.Offset)})
    if (A.Writes && meets(L, R, Uid, Thread, A.Level))
      return R;
  return 0;
}

void keep(Thread &T) {
  Engine &E = T.Owner->Owner->E;
  std::lock_guard<std::mutex> Guard(E.Lock);
  for (const HeldLock::Access &A : T.Lock.Accesses)
    if (E.Unfenced.size() < MostKept)
      E.Unfenced.push_back({A, T.Lock.Site, T.Owner->Uid, T.Linear});
}

} // namespace

void sim::watchAccess(Thread &T, uint64_t Address, uint32_t Site, uint32_t Bytes) {
  uint64_t Off = Address - DataBase;
  const sim::Site &S = T.Owner->Owner->E.Code.Sites[siteIndex(Site)];
  if (S.Kind == SiteAtomic || !isGlobalOffset(Off) || !Memory::exists(Off, Bytes))
    return;
  if (Address == T.Lock.Address)
    return givenBack(T, Address);
  if (T.Lock.Accesses.size() >= MostWatched) {
    T.Trace &= ~TraceLock;
    return;
  }
  HeldLock::Access A{Off, 0, Site, T.Lock.Level, writes(S), false};
  A.Other = conflict(*T.Owner->Owner, A, T.Owner->Uid, T.Linear, A.OtherWrites);
  T.Lock.Accesses.push_back(A);
}

void sim::givenBack(Thread &T, uint64_t Address) {
  if (!T.Lock.Address || Address != T.Lock.Address)
    return;
  if (!T.Lock.Accesses.empty())
    keep(T);
  T.Lock.Accesses.clear();
  T.Lock.Address = 0;
  T.Trace &= ~TraceLock;
}

void sim::reportUnfenced(Launch &L) {
  Engine &E = L.E;
  for (UnfencedAccess &U : E.Unfenced) {
    HeldLock::Access &A = U.What;
    uint64_t Other = A.Other;
    bool OtherWrites = A.OtherWrites;
    if (!Other)
      Other = conflict(L, A, U.Uid, U.Thread, OtherWrites);
    if (!Other || U.Uid < L.Record.FirstUid)
      continue;
    bool SameBlock = uidOf(Other) == U.Uid;
    E.Out.add(SameBlock ? "race_global" : "race_blocks", siteIndex(A.Site), siteIndex(U.LockSite), [&](protocol::Finding &F) {
      std::string Me = threadName(L.Step.Block, U.Thread), Block = blockName(L.Step.Grid, U.Uid - L.Record.FirstUid);
      std::string Them = threadName(L.Step.Block, threadOf(Other)), TheirBlock = blockName(L.Step.Grid, uidOf(Other) - L.Record.FirstUid);
      F.Sure = false;
      F.Kernel = L.K.Name;
      F.Threads = {{Block, Me}, {TheirBlock, Them}};
      const Allocation *Buffer = E.Mem.find(DataBase + A.Offset);
      std::string Name = Buffer ? Buffer->Name : "memory";
      F.Buffer = Name;
      F.Message = "thread " + Me + " of block " + Block + (A.Writes ? " writes " : " reads ") + Name + " under a lock, but with no " +
                  (A.Level ? "__threadfence()" : SameBlock ? "fence" : "__threadfence()") + " between taking the lock and this access (" +
                  (A.Level ? "a block's fence does not reach the other block" : "it may happen before the lock is taken") + "); thread " + Them +
                  " of block " + TheirBlock + (OtherWrites ? " writes" : " reads") + " it too";
      F.OtherMessage = "the lock is taken here";
    });
  }
  E.Unfenced.clear();
}
