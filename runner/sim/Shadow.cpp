// The slow paths of the access checks: what kind of fault it is, and whether two accesses are ordered.
#include "runner/sim/Shadow.h"
#include <algorithm>
#include <cstring>

using namespace kcheck;
using namespace kcheck::sim;

bool sim::launchesOrdered(const LaunchRecord &Earlier, const LaunchRecord &Later) {
  if (Earlier.Stream == Later.Stream || !Later.Before)
    return true;
  auto It = Later.Before->find(Earlier.Stream);
  return It != Later.Before->end() && It->second >= Earlier.Number;
}

/// Uids are renewed at barriers: the first one of the same block.
static uint32_t firstUid(Engine &E, uint32_t Uid) {
  if (E.RenewedUid.empty())
    return Uid;
  std::lock_guard<std::mutex> Guard(E.Lock);
  auto It = E.RenewedUid.find(Uid);
  return It == E.RenewedUid.end() ? Uid : It->second;
}

const LaunchRecord *sim::launchOf(Engine &E, uint32_t Uid) {
  Uid = firstUid(E, Uid);
  auto It = std::upper_bound(E.Launches.begin(), E.Launches.end(), Uid, [](uint32_t U, const LaunchRecord &L) { return U < L.FirstUid; });
  if (It == E.Launches.begin())
    return nullptr;
  --It;
  return Uid < It->FirstUid + It->Count ? &*It : nullptr;
}

namespace {

Engine &engineOf(const Thread &T) { return T.Owner->Owner->E; }

void start(protocol::Finding &F, const Thread &T, uint64_t Bytes) {
  F.Kernel = T.Owner->Owner->K.Name;
  F.Threads = {{blockName(*T.Owner), threadName(T)}};
  F.AccessBytes = Bytes;
}

const char *verb(SiteKind K) {
  switch (K) {
  case SiteLoad:
  case SiteVolatileLoad: return "reads";
  case SiteAtomic: return "updates";
  default: return "writes";
  }
}

//===--- names of addresses -------------------------------------------------===//

struct Named {
  std::string Name;
  int64_t Index = 0;
  uint64_t Size = 0, Element = 1;
  bool Freed = false, Constant = false;
};

Named fromRange(std::string Name, uint64_t Start, uint64_t Bytes, uint64_t Element, uint64_t Off) {
  Named N;
  N.Name = std::move(Name);
  N.Element = std::max<uint64_t>(Element, 1);
  int64_t Delta = int64_t(Off - Start);
  N.Index = Delta >= 0 ? Delta / int64_t(N.Element) : -((-Delta + int64_t(N.Element) - 1) / int64_t(N.Element));
  N.Size = Bytes / N.Element;
  return N;
}

Named nameShared(const Thread &T, uint64_t Off) {
  uint64_t In = Off - (T.SharedBase - DataBase);
  const Variable *Best = nullptr;
  uint64_t BestDistance = ~uint64_t(0), BestBytes = 0;
  for (const Variable &V : engineOf(T).Code.Variables) {
    if (!V.Shared)
      continue;
    uint64_t Bytes = V.Bytes ? V.Bytes : T.DynamicShared;
    int64_t Delta = int64_t(In) - int64_t(V.Address);
    uint64_t Distance = Delta < 0 ? uint64_t(-Delta) : uint64_t(Delta) < Bytes ? 0 : uint64_t(Delta) - Bytes + 1;
    if (Distance < BestDistance) {
      Best = &V;
      BestDistance = Distance;
      BestBytes = Bytes;
    }
  }
  if (!Best)
    return {};
  return fromRange(Best->Name, T.SharedBase - DataBase + Best->Address, BestBytes, Best->ElementBytes, Off);
}

Named nameLocal(const Thread &T, uint64_t Off) {
  Named Best;
  uint64_t BestDistance = ~uint64_t(0);
  for (const FrameMark &M : T.Frames)
    for (const Frame::Slot &S : engineOf(T).Code.Frames[M.Index].Slots) {
      uint64_t Start = M.Base - DataBase + S.Offset;
      uint64_t Distance = Off < Start ? Start - Off : Off < Start + S.Bytes ? 0 : Off - Start - S.Bytes + 1;
      if (Distance < BestDistance) {
        BestDistance = Distance;
        Best = fromRange(S.Name.empty() ? "local array" : S.Name, Start, S.Bytes, S.Element, Off);
      }
    }
  return Best;
}

/// AccessBytes stands in where nobody said how large an element is.
Named nameOf(const Thread &T, uint64_t Off, uint64_t AccessBytes) {
  if (isSharedOffset(Off))
    return nameShared(T, Off);
  if (isLocalOffset(Off))
    return nameLocal(T, Off);
  const Allocation *A = engineOf(T).Mem.find(DataBase + Off);
  if (!A)
    A = engineOf(T).Mem.nearest(DataBase + Off);
  if (!A)
    return {};
  Named N = fromRange(A->Name, A->Offset, A->Bytes, A->Element ? A->Element : AccessBytes, Off);
  N.Freed = A->Freed;
  N.Constant = A->Constant;
  return N;
}

void putName(protocol::Finding &F, const Named &N) {
  F.Buffer = N.Name;
  F.Index = N.Index;
  F.Size = N.Size;
}

std::string spell(const Named &N) { return N.Name + "[" + std::to_string(N.Index) + "]"; }

//===--- faults of one access -----------------------------------------------===//

void reportBounds(Thread &T, uint64_t Address, uint32_t Site, uint64_t Bytes) {
  if (!engineOf(T).Checks.Bounds)
    return;
  const sim::Site &S = engineOf(T).Code.Sites[siteIndex(Site)];
  uint64_t Off = Address - DataBase;
  Named N;
  std::string Tag;
  if (Address < (1 << 16)) {
    Tag = "null_access";
  } else if (Off >= DataSize) {
    Tag = S.Space == 3 ? "out_of_bounds_shared" : S.Space == 5 ? "out_of_bounds_local" : "out_of_bounds_global";
  } else {
    N = nameOf(T, Off, Bytes);
    unsigned Space = S.Space ? S.Space : isSharedOffset(Off) ? 3 : isLocalOffset(Off) ? 5 : 1;
    Tag = N.Freed ? "use_after_free"
          : N.Constant || Space == 4 ? "out_of_bounds_constant"
          : Space == 3 ? "out_of_bounds_shared"
          : Space == 5 ? "out_of_bounds_local"
                       : "out_of_bounds_global";
  }
  engineOf(T).Out.add(Tag, siteIndex(Site), ~0u, [&](protocol::Finding &F) {
    start(F, T, Bytes);
    std::string Who = "thread " + threadName(T) + " of block " + blockName(*T.Owner) + " " + verb(S.Kind) + " ";
    if (Tag == "null_access")
      F.Message = Who + std::to_string(Bytes) + " bytes through a null pointer" + (Address ? " (offset " + std::to_string(Address) + ")" : "");
    else if (N.Name.empty())
      F.Message = Who + std::to_string(Bytes) + " bytes at an address that belongs to no buffer";
    else if (N.Freed)
      F.Message = Who + spell(N) + " after the buffer was freed";
    else
      F.Message = Who + spell(N) + ", " + N.Name + " has " + std::to_string(N.Size) + " elements of " + std::to_string(N.Element) + " bytes";
    if (!N.Name.empty())
      putName(F, N);
  });
}

void reportSimple(Thread &T, const char *Tag, uint64_t Off, uint32_t Site, uint64_t Bytes, const std::string &What, uint32_t OtherSite = ~0u,
                  const char *OtherMessage = "") {
  engineOf(T).Out.add(Tag, siteIndex(Site), OtherSite, [&](protocol::Finding &F) {
    start(F, T, Bytes);
    F.OtherMessage = OtherMessage;
    Named N = nameOf(T, Off, Bytes);
    putName(F, N);
    const sim::Site &S = engineOf(T).Code.Sites[siteIndex(Site)];
    F.Message = "thread " + threadName(T) + " of block " + blockName(*T.Owner) + " " + verb(S.Kind) + " " + spell(N) + What;
  });
}

/// What reading unwritten bytes means: a copy under way, or nothing at all.
void reportUnwritten(Thread &T, uint64_t Off, uint32_t Site, uint64_t Bytes) {
  if (!engineOf(T).Checks.Init)
    return;
  // Libraries move whole structures word by word, padding included.
  if (isLocalOffset(Off) && engineOf(T).Code.Sites[siteIndex(Site)].Library)
    return;
  for (uint32_t I = 0; I < T.Owner->Count; ++I)
    for (const PendingCopy &C : T.Owner->Threads[I].Copies)
      if (Off + Bytes > C.To - DataBase && Off < C.To - DataBase + C.Bytes)
        return reportSimple(T, "uninitialised_read", Off, Site, Bytes, ", which an asynchronous copy has not been waited for", siteIndex(C.Site), "the copy starts here");
  reportSimple(T, "uninitialised_read", Off, Site, Bytes, ", which nobody has written");
}

//===--- races --------------------------------------------------------------===//

enum class Order { Ordered, SameBlock, OtherBlock, OtherLaunch };

struct Decoded {
  uint32_t Uid, Epoch, Thread;
};
Decoded decode(uint64_t R) { return {uint32_t(R >> UidShift), uint32_t(R >> EpochShift & 0xFFFF), uint32_t(R >> ThreadShift & 1023)}; }

Order relation(Thread &T, uint64_t R, bool Shared) {
  if (R < T.Threshold || R == 0)
    return Order::Ordered;
  Engine &E = engineOf(T);
  Decoded D = decode(R);
  Block &B = *T.Owner;
  if (D.Uid == B.Uid) {
    if (D.Thread == T.Linear || D.Epoch < B.BarrierEpoch)
      return Order::Ordered;
    if (D.Thread / 32 == T.Warp && (D.Epoch < T.WarpSync || B.NoWarpOrder))
      return Order::Ordered;
    return E.Sync.knows(T.Knows, D.Uid, D.Thread, D.Epoch) ? Order::Ordered : Order::SameBlock;
  }
  if (Shared)
    return Order::Ordered; // left over by a block that used the slot before
  uint32_t First = firstUid(E, D.Uid);
  if (First == firstUid(E, B.Uid))
    return Order::Ordered; // uids are renewed at barriers only
  const Launch &L = *B.Owner;
  if (First >= L.Record.FirstUid && First < L.Record.FirstUid + L.Record.Count)
    return E.Sync.knows(T.Knows, D.Uid, D.Thread, D.Epoch) ? Order::Ordered : Order::OtherBlock;
  const LaunchRecord *Other = launchOf(E, D.Uid);
  return !Other || launchesOrdered(*Other, L.Record) ? Order::Ordered : Order::OtherLaunch;
}

/// The site that a record's eight bits stand for: the first one of the wanted kind.
uint32_t siteOfRecord(Engine &E, uint64_t R, bool Write, unsigned Space) {
  uint32_t Best = ~0u;
  for (uint32_t I : E.Code.Records[R >> SiteShift & 255]) {
    const Site &S = E.Code.Sites[I];
    bool Writes = S.Kind == SiteStore || S.Kind == SiteAtomic || S.Kind == SiteVolatileStore;
    if (Writes != Write)
      continue;
    if (Best == ~0u || S.Space == Space)
      Best = I;
    if (S.Space == Space)
      break;
  }
  return Best;
}

/// When it is known whether a race counts.
enum class Settled {
  Now,
  ByCas,      ///< a plain read beside atomics: not where the location is compare-and-swapped, because the swap repeats the test
  ByDeciding, ///< two strong accesses, one volatile: not where they are flags, which a strong read that decides something tells
};

void reportRace(Thread &T, Order O, uint64_t Record, bool RecordWrites, uint64_t Off, uint32_t Site, uint64_t Bytes, Settled When,
                bool Sure = true) {
  Engine &E = engineOf(T);
  if (!E.Checks.Races)
    return;
  bool Shared = isSharedOffset(Off);
  const char *Tag = Shared ? "race_shared" : O == Order::SameBlock ? "race_global" : O == Order::OtherBlock ? "race_blocks" : "race_launches";
  const LaunchRecord *Of = launchOf(E, decode(Record).Uid);
  const bool ByHost = Of && Of->Call && O == Order::OtherLaunch;
  uint32_t Other = ByHost ? ~0u : siteOfRecord(E, Record, RecordWrites, E.Code.Sites[siteIndex(Site)].Space);
  if (When == Settled::ByDeciding && (E.Code.Sites[siteIndex(Site)].Foreign || (Other != ~0u && E.Code.Sites[Other].Foreign)))
    return; // the library knows what it does
  auto Fill = [&](protocol::Finding &F) {
    start(F, T, Bytes);
    F.Sure = Sure;
    Named N = nameOf(T, Off, Bytes);
    putName(F, N);
    const sim::Site &S = E.Code.Sites[siteIndex(Site)];
    Decoded D = decode(Record);
    std::string OtherBlock = blockName(*T.Owner), OtherThread = threadName(T.Owner->Owner->Step.Block, D.Thread);
    std::string Which = "thread " + OtherThread;
    uint32_t First = firstUid(E, D.Uid);
    if (ByHost) {
      Which = Of->Kernel + " on another stream, in line " + std::to_string(Of->Call->Line) + ",";
      F.Other = {Of->Call->File, Of->Call->Line, Of->Call->Column};
    } else if (const LaunchRecord *L = Of; L && O != Order::SameBlock) {
      OtherBlock = blockName(L->Grid, First - L->FirstUid);
      OtherThread = threadName(L->Block, D.Thread);
      Which = "thread " + OtherThread + " of block " + OtherBlock;
      if (O == Order::OtherLaunch)
        Which += " of the launch of " + L->Kernel + " on another stream";
    }
    if (!ByHost)
      F.Threads.push_back({OtherBlock, OtherThread});
    F.Message = "thread " + threadName(T) + " of block " + blockName(*T.Owner) + " " + verb(S.Kind) + " " + spell(N) + ", which " +
                Which + (RecordWrites ? " writes" : " reads") + (Other != ~0u ? " in line " + std::to_string(E.Code.Sites[Other].At.Line) : "") +
                (O == Order::SameBlock ? ", with no barrier between" : O == Order::OtherBlock ? ", and nothing orders the two blocks" : "");
    F.OtherMessage = std::string("the other access: ") + Which + (RecordWrites ? " writes" : " reads");
  };
  if (When != Settled::Now)
    E.Out.addPending((Off & ~uint64_t(3)) + (When == Settled::ByDeciding), Tag, siteIndex(Site), Other, Fill);
  else
    E.Out.add(Tag, siteIndex(Site), Other, Fill);
}

/// How two strong accesses of which one writes stand to each other when nothing orders them.
enum class StrongPair { Fine, Doubt, Race };
StrongPair strongPair(const Thread &T, uint64_t Writer, Access How) {
  uint64_t Kind = Writer & FlagStrong;
  bool SameBlock = ((Writer ^ T.Me) >> UidShift) == 0;
  bool SameWarp = SameBlock && decode(Writer).Thread / 32 == T.Warp;
  if (!SameBlock && (Kind == FlagBlockAtomic || How.Block))
    return StrongPair::Race; // the scope of one is too small for the two
  if (SameWarp || (Kind != FlagVolatile && !How.Volatile))
    return StrongPair::Fine;
  return StrongPair::Doubt; // a flag's, or data's: the rest of the launch tells
}

/// Whether the reads that a record stands for are volatile.
bool readVolatile(Engine &E, uint64_t R) {
  bool Any = false;
  for (uint32_t I : E.Code.Records[R >> SiteShift & 255]) {
    if (E.Code.Sites[I].Kind == SiteLoad)
      return false;
    Any |= E.Code.Sites[I].Kind == SiteVolatileLoad;
  }
  return Any;
}

/// One granule of an access. Me: record of the access without mask. Returns whether a conflict was found.
bool granule(Thread &T, uint64_t Off, uint64_t Mask, Access How, uint32_t Site, uint64_t Bytes) {
  const bool Write = How.Writes, Strong = How.Strong;
  uint64_t *W = Memory::writer(Off), *R = Memory::reader(Off), *R2 = Memory::reader2(Off);
  bool Shared = isSharedOffset(Off), Found = false;
  uint64_t Bits = Mask << MaskShift;
  uint64_t Writer = *W;
  uint64_t Kind = Writer & FlagStrong;
  StrongPair Pair = Strong && Kind ? strongPair(T, Writer, How) : StrongPair::Race;
  if ((Writer & Bits) && Pair != StrongPair::Fine && !(Pair == StrongPair::Doubt && How.Decides))
    if (Order O = relation(T, Writer, Shared); O != Order::Ordered) {
      Settled When = Pair == StrongPair::Doubt ? Settled::ByDeciding : !Strong && !Write && Kind ? Settled::ByCas : Settled::Now;
      reportRace(T, O, Writer, true, Off, Site, Bytes, When, Pair == StrongPair::Race);
      Found = true;
    }
  if (Write) {
    uint64_t Readers[2] = {*R, *R & (FlagCross | FlagMany) ? *R2 : 0};
    for (uint64_t Reader : Readers)
      if (!Found && (Reader & Bits))
        if (Order O = relation(T, Reader, Shared); O != Order::Ordered) {
          bool Volatile = readVolatile(engineOf(T), Reader);
          if (Decoded D = decode(Reader); Volatile && D.Uid == T.Owner->Uid && D.Thread / 32 == T.Warp)
            continue;
          reportRace(T, O, Reader, false, Off, Site, Bytes, Volatile ? Settled::ByDeciding : Strong ? Settled::ByCas : Settled::Now, !Volatile);
          Found = true;
        }
    uint64_t New = T.Me | siteBits(Site) | Bits | (!Strong ? 0 : How.Block ? FlagBlockAtomic : How.Volatile ? FlagVolatile : FlagAtomic);
    if (((Writer ^ New) & WhoMask) == 0) {
      // The thread's own atomic access does not make up for its plain write just before: "if (t == 0) n = 0; atomicAdd(&n, 1)".
      bool Fenced = T.FenceLevel && T.FenceEpoch == T.Epoch;
      if (Strong && !Kind && (Writer & Bits) == Bits && !Fenced)
        return Found;
      New |= Writer & 60;
    }
    *W = New;
    return Found;
  }
  // A flag that is polled needs no record: nobody's write to it is a race.
  if (Strong && How.Decides)
    return Found;
  uint64_t Old = *R, New = T.Me | siteBits(Site) | Bits;
  if (((Old ^ New) & WhoMask) == 0) {
    *R = New | (Old & (60 | FlagMany | FlagCross));
    return Found;
  }
  if (Old >= T.Threshold && Old) {
    if ((Old ^ New) >> UidShift) {
      *R2 = Old;
      New |= FlagCross;
    } else if (Old & FlagCross) {
      New |= FlagCross;
    } else if (Old - T.BlockBase >= T.BarrierOff) {
      *R2 = Old;
      New |= FlagMany;
    }
  }
  *R = New;
  return Found;
}

} // namespace

bool sim::checkAccess(Thread &T, uint64_t Address, uint32_t Site, uint64_t Bytes, uint64_t Align, Access How) {
  uint64_t Off = Address - DataBase;
  if (Off >= DataSize || Bytes > DataSize - Off || !Memory::exists(Off, Bytes)) {
    reportBounds(T, Address, Site, Bytes);
    return false;
  }
  // A neighbour's slot is nobody's memory: not this block's shared, not this thread's local.
  if (isSharedOffset(Off) && Address - T.SharedBase >= SharedSlot) {
    reportBounds(T, Address, Site, Bytes);
    return false;
  }
  if (Align > 1 && (Off & (Align - 1)) && engineOf(T).Checks.Bounds)
    reportSimple(T, "misaligned_access", Off, Site, Bytes, ": the address is no multiple of " + std::to_string(Align));
  if (How.Reads && !How.Moves && !Memory::written(Off, Bytes)) {
    reportUnwritten(T, Off, Site, Bytes);
    Memory::markWritten(Off, Bytes);
  }
  if (!isLocalOffset(Off) && engineOf(T).Checks.Races && !How.NoRace)
    for (uint64_t G = Off & ~uint64_t(3); G < Off + Bytes; G += 4) {
      uint64_t From = std::max(G, Off) - G, To = std::min(G + 4, Off + Bytes) - G;
      uint64_t Mask = (uint64_t(15) << From) & (uint64_t(15) >> (4 - To));
      granule(T, G, Mask, How, Site, Bytes);
    }
  if (How.Writes && !Memory::written(Off, Bytes)) {
    for (uint64_t I = Off; I < Off + Bytes;) {
      if ((I & 3) == 0 && Off + Bytes - I >= 4) {
        *Memory::state(I) = 0xFF;
        I += 4;
        continue;
      }
      __atomic_fetch_or(Memory::state(I & ~uint64_t(3)), uint8_t(16u << (I & 3)), __ATOMIC_RELAXED);
      ++I;
    }
  }
  return true;
}

void sim::finishRaces(Launch &L) {
  reportUnfenced(L);
  Engine &E = L.E;
  std::lock_guard<std::mutex> Guard(E.Lock);
  E.Out.settlePending([&](uint64_t Granule) {
    return Granule & 1 ? E.DecidingGranules.count(Granule - 1) != 0 : E.CasGranules.count(Granule) != 0;
  });
}

void sim::noteDeciding(Thread &T, uint64_t Address, uint64_t Bytes) {
  Engine &E = engineOf(T);
  uint64_t G = (Address - DataBase) & ~uint64_t(3);
  if (!E.Code.HasVolatile || G == T.LastDeciding)
    return;
  T.LastDeciding = G;
  std::lock_guard<std::mutex> Guard(E.Lock);
  for (uint64_t To = Address - DataBase + Bytes; G < To; G += 4)
    E.DecidingGranules.insert(G);
}

extern "C" {

void *kcheck_slow_load(ThreadContext *C, void *P, uint32_t Site, uint32_t Size, uint32_t Align) {
  Thread &T = *static_cast<Thread *>(C);
  const sim::Site &S = engineOf(T).Code.Sites[siteIndex(Site)];
  bool Strong = S.Kind == SiteVolatileLoad && !isSharedOffset(uint64_t(P) - DataBase);
  if ((S.Kind == SiteVolatileLoad || Size > 16 || (Size & (Size - 1))) && T.Trace)
    kcheck_trace(C, P, Site, Size);
  if (checkAccess(T, uint64_t(P), Site, Size, Align, {.Reads = true, .Strong = Strong, .Volatile = true, .Decides = S.Decides})) {
    if (Strong && S.Decides)
      noteDeciding(T, uint64_t(P), Size);
    return P;
  }
  memset(T.Scratch, 0, sizeof(T.Scratch));
  return T.Scratch;
}

void *kcheck_slow_store(ThreadContext *C, void *P, uint32_t Site, uint32_t Size, uint32_t Align, uint64_t V0, uint64_t V1) {
  Thread &T = *static_cast<Thread *>(C);
  const sim::Site &S = engineOf(T).Code.Sites[siteIndex(Site)];
  bool Strong = S.Kind == SiteVolatileStore && !isSharedOffset(uint64_t(P) - DataBase);
  if ((S.Kind == SiteVolatileStore || Size > 16 || (Size & (Size - 1))) && T.Trace)
    kcheck_trace(C, P, Site, Size);
  uint64_t Off = uint64_t(P) - DataBase;
  // Writing what is there already disturbs nobody: many threads set the same flag.
  bool Silent = false;
  if (Size <= 16 && (Size & (Size - 1)) == 0 && Off < DataSize && Memory::exists(Off, Size) && Memory::written(Off, Size)) {
    uint64_t V[2] = {V0, V1};
    Silent = memcmp(P, V, Size) == 0;
  }
  if (S.Kind == SiteVolatileStore) {
    givenBack(T, uint64_t(P));
    releaseAt(T, uint64_t(P), false);
  }
  if (!checkAccess(T, uint64_t(P), Site, Size, Align, {.Writes = true, .Strong = Strong, .NoRace = Silent, .Volatile = Strong}))
    return T.Scratch;
  return P;
}

void *kcheck_rt_move_load(ThreadContext *C, void *P, uint32_t Site, uint32_t Size, uint32_t Align) {
  Thread &T = *static_cast<Thread *>(C);
  if (T.Trace)
    kcheck_trace(C, P, Site, Size);
  if (checkAccess(T, uint64_t(P), Site, Size, Align, {.Reads = true, .Moves = true}))
    return P;
  memset(T.Scratch, 0, sizeof(T.Scratch));
  return T.Scratch;
}

/// What was read from From stands at To now: unwritten if it was unwritten there.
void kcheck_rt_moved(ThreadContext *, void *From, void *To, uint32_t Size) {
  uint64_t A = uint64_t(From) - DataBase, B = uint64_t(To) - DataBase;
  if (A < DataSize && B < DataSize && A != B && Memory::exists(A, Size) && Memory::exists(B, Size) && !Memory::written(A, Size))
    Memory::mark(B, Size, true, false);
}

} // extern "C"
