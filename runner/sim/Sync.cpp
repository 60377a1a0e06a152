// Barriers and warp operations: who waits for whom, and what it means when somebody never comes.
#include "runner/sim/Engine.h"
#include <algorithm>
#include <bit>

using namespace kcheck;
using namespace kcheck::sim;

namespace {

Launch &launchOf(const Thread &T) { return *T.Owner->Owner; }
Report &reportOf(const Thread &T) { return launchOf(T).E.Out; }
uint32_t identity(const Thread &T, uint32_t Site) { return launchOf(T).E.Code.Sites[siteIndex(Site)].Identity; }
const Place &placeOf(const Thread &T, uint32_t Site) { return launchOf(T).E.Code.Sites[siteIndex(Site)].At; }

void start(protocol::Finding &F, const Thread &T) {
  F.Kernel = launchOf(T).K.Name;
  F.Threads = {{blockName(*T.Owner), threadName(T)}};
}

std::string laneList(uint32_t Lanes) {
  std::string S;
  for (unsigned I = 0; I < 32; ++I)
    if (Lanes >> I & 1) {
      unsigned To = I;
      while (To < 31 && (Lanes >> (To + 1) & 1))
        ++To;
      S += (S.empty() ? "" : ", ") + std::to_string(I) + (To > I ? "-" + std::to_string(To) : "");
      I = To;
    }
  return S;
}

//===--- warp operations ----------------------------------------------------===//

Thread *laneOf(Block &B, uint32_t Warp, uint32_t Lane) {
  uint32_t I = Warp * 32 + Lane;
  return I < B.Count ? &B.Threads[I] : nullptr;
}

/// Matrix operations are one instruction for the whole warp; the others may stand at different places.
bool isMatrix(const WarpOp &O) { return O.What == WarpOp::Collect || O.What == WarpOp::Matrix; }

bool sameOp(const Thread &A, const Thread &B) {
  return A.Op.What == B.Op.What && A.Op.Mode == B.Op.Mode && A.Op.Mask == B.Op.Mask && (!isMatrix(A.Op) || identity(A, A.Op.Site) == identity(B, B.Op.Site));
}

/// A matrix operation of a warp that is not whole is undefined, also where lanes have returned or the block has none for them.
void reportPartial(Thread &T, uint32_t Lanes) {
  if (!launchOf(T).E.Checks.Sync)
    return;
  reportOf(T).add("warp_lane_absent", siteIndex(T.Op.Site), ~0u, [&](protocol::Finding &F) {
    start(F, T);
    F.Message = "a matrix operation needs all 32 lanes of the warp, but only lanes " + laneList(Lanes) + " are there";
  });
}

void reportStranger(Thread &T, uint32_t Lane, uint32_t From, uint32_t Site, bool Sure, const char *Why) {
  if (!launchOf(T).E.Checks.Sync)
    return;
  reportOf(T).add("warp_lane_absent", siteIndex(Site), ~0u, [&](protocol::Finding &F) {
    start(F, T);
    F.Sure = Sure;
    F.Message = "lane " + std::to_string(Lane) + " reads from lane " + std::to_string(From) + ", " + Why + ": its value is undefined";
  });
}

/// shfl_down by half of the lanes, then by half of that and so on: where the mask is a run of lanes, its upper ones read beyond it, and what
/// they hold from then on does no harm as long as it does not come back to the first lane. True: the step is one of those.
bool isTreeStep(Thread &T) {
  const WarpOp &O = T.Op;
  TreeSum &Tree = T.Tree;
  const uint32_t Low = O.Mask & (~O.Mask + 1), Width = uint32_t(std::popcount(O.Mask)), By = O.B & 31;
  const bool Run = (O.Mask & (O.Mask + Low)) == 0;
  const bool Goes = Tree.Mask == O.Mask && (By == Tree.By || By == Tree.By / 2);
  if (O.Mode != 2 || !Run || !By || By >= Width || (By * 2 < Width && !Goes)) {
    Tree = {};
    return false;
  }
  if (Tree.Mask != O.Mask || By > Tree.By)
    Tree = {};
  Tree.Mask = O.Mask;
  Tree.By = By;
  return true;
}

/// The value of lane From comes to T, which may be what lies beyond the mask, or have come from there.
void passOn(Thread &T, const Thread *From, uint32_t FromLane) {
  TreeSum &Tree = T.Tree;
  if (!From) {
    Tree.StrangeBy = Tree.By;
    Tree.StrangeLane = FromLane;
    Tree.Reader = T.Lane;
    Tree.Site = T.Op.Site;
    return;
  }
  // What it got at this very step, or at the same step for another value, it did not have before.
  if (From->Tree.StrangeBy <= Tree.By || From->Tree.Mask != Tree.Mask)
    return;
  if (!Tree.StrangeBy) {
    Tree.StrangeBy = Tree.By;
    Tree.StrangeLane = From->Tree.StrangeLane;
    Tree.Reader = From->Tree.Reader;
    Tree.Site = From->Tree.Site;
  }
  if (T.Lane == uint32_t(std::countr_zero(T.Op.Mask)))
    reportStranger(T, From->Tree.Reader, From->Tree.StrangeLane, From->Tree.Site, false, "which is not in the mask, and the first lane gets it in the end");
}

void shuffle(Block &B, uint32_t Warp, uint32_t Lanes, Thread &T) {
  WarpOp &O = T.Op;
  uint32_t Seg = O.C >> 8 & 31, Clamp = O.C & 31, By = O.B & 31, Lane = T.Lane;
  int Max = int((Lane & Seg) | (Clamp & ~Seg & 31)), Min = int(Lane & Seg), J;
  bool P;
  switch (O.Mode) {
  case 0: J = Min | int(By & ~Seg & 31); P = J <= Max; break;
  case 1: J = int(Lane) - int(By); P = J >= Max; break;
  case 2: J = int(Lane + By); P = J <= Max; break;
  default: J = int(Lane ^ By); P = J <= Max; break;
  }
  if (!P)
    J = int(Lane);
  O.Predicate = P;
  O.Result = O.Value;
  const bool Tree = isTreeStep(T);
  if (Lanes >> J & 1) {
    const Thread *From = laneOf(B, Warp, uint32_t(J));
    O.Result = From->Op.Value;
    if (Tree && From != &T)
      passOn(T, From, uint32_t(J));
    return;
  }
  if (O.Mask >> J & 1)
    return reportStranger(T, Lane, uint32_t(J), O.Site, true, "which has returned");
  if (Tree)
    return passOn(T, nullptr, uint32_t(J));
  reportStranger(T, Lane, uint32_t(J), O.Site, false, "which is not in the mask");
}

void computeWarp(Block &B, uint32_t Warp, uint32_t Lanes) {
  Thread *First = laneOf(B, Warp, uint32_t(std::countr_zero(Lanes)));
  auto each = [&](auto Do) {
    for (uint32_t L = Lanes; L; L &= L - 1)
      Do(*laneOf(B, Warp, uint32_t(std::countr_zero(L))));
  };
  switch (First->Op.What) {
  case WarpOp::Sync:
  case WarpOp::Active:
  case WarpOp::Collect:
  case WarpOp::Matrix:
    break;
  case WarpOp::Shuffle:
    each([&](Thread &T) { shuffle(B, Warp, Lanes, T); });
    break;
  case WarpOp::Vote: {
    uint32_t Ballot = 0;
    each([&](Thread &T) { Ballot |= T.Op.Value ? 1u << T.Lane : 0; });
    uint64_t R = First->Op.Mode == 0   ? Ballot == Lanes
                 : First->Op.Mode == 1 ? Ballot != 0
                 : First->Op.Mode == 2 ? Ballot == 0 || Ballot == Lanes
                                       : Ballot;
    each([&](Thread &T) { T.Op.Result = R; });
    break;
  }
  case WarpOp::Match:
    each([&](Thread &T) {
      uint32_t Same = 0;
      each([&](Thread &O) { Same |= O.Op.Value == T.Op.Value ? 1u << O.Lane : 0; });
      bool All = Same == Lanes;
      T.Op.Predicate = All;
      T.Op.Result = T.Op.Mode ? (All ? Lanes : 0) : Same;
    });
    break;
  case WarpOp::Redux: {
    uint32_t R = uint32_t(First->Op.Value);
    bool Skip = true;
    each([&](Thread &T) {
      uint32_t V = uint32_t(T.Op.Value);
      if (Skip) {
        Skip = false;
        return;
      }
      switch (T.Op.Mode) {
      case 0: R += V; break;
      case 1: R = std::min(R, V); break;
      case 2: R = std::max(R, V); break;
      case 3: R = uint32_t(std::min(int32_t(R), int32_t(V))); break;
      case 4: R = uint32_t(std::max(int32_t(R), int32_t(V))); break;
      case 5: R &= V; break;
      case 6: R |= V; break;
      default: R ^= V; break;
      }
    });
    each([&](Thread &T) { T.Op.Result = R; });
    break;
  }
  }
}

/// The lanes go on; what they did before is ordered before what any of them does next.
void completeWarp(Block &B, uint32_t Warp, uint32_t Lanes, Thread *Current) {
  computeWarp(B, Warp, Lanes);
  WarpState &W = B.Warps[Warp];
  uint32_t Epoch = W.Epoch;
  for (uint32_t L = Lanes; L; L &= L - 1)
    Epoch = std::max(Epoch, laneOf(B, Warp, uint32_t(std::countr_zero(L)))->Epoch);
  if (Epoch < MaxEpoch)
    W.Epoch = ++Epoch;
  else
    B.NoWarpOrder = true;
  Acquired Union;
  for (uint32_t L = Lanes; L; L &= L - 1)
    if (auto &K = laneOf(B, Warp, uint32_t(std::countr_zero(L)))->Knows; !K.empty())
      merge(Union, K);
  for (uint32_t L = Lanes; L; L &= L - 1) {
    Thread &T = *laneOf(B, Warp, uint32_t(std::countr_zero(L)));
    T.Epoch = T.WarpSync = Epoch;
    if (!Union.empty())
      T.Knows = Union;
    B.setRecord(T);
    if (&T == Current)
      T.State = Wait::Running;
    else
      wake(T);
  }
  W.Waiting &= ~Lanes;
}

/// Completes every operation of the warp whose lanes have all come.
void tryWarp(Block &B, uint32_t Warp, Thread *Current) {
  WarpState &W = B.Warps[Warp];
  for (uint32_t L = W.Waiting; L; L &= L - 1) {
    Thread &T = *laneOf(B, Warp, uint32_t(std::countr_zero(L)));
    uint32_t Need = T.Op.Mask & W.Alive;
    if ((Need & W.Waiting) != Need || !(Need >> T.Lane & 1))
      continue;
    bool Same = true;
    for (uint32_t N = Need; N && Same; N &= N - 1)
      Same = sameOp(*laneOf(B, Warp, uint32_t(std::countr_zero(N))), T);
    if (!Same)
      continue;
    if (isMatrix(T.Op) && Need != ~0u)
      reportPartial(T, Need);
    completeWarp(B, Warp, Need, Current);
    return tryWarp(B, Warp, Current);
  }
}

/// Lanes at __activemask that stand at the same place are the active ones.
bool resolveActive(Block &B) {
  bool Any = false;
  for (uint32_t Warp = 0; Warp < B.Warps.size(); ++Warp)
    for (uint32_t Lane = 0; Lane < 32; ++Lane) {
      Thread *T = laneOf(B, Warp, Lane);
      if (!T || T->State != Wait::Active)
        continue;
      uint32_t Lanes = 0, Id = identity(*T, T->Op.Site);
      for (uint32_t L = Lane; L < 32; ++L)
        if (Thread *O = laneOf(B, Warp, L); O && O->State == Wait::Active && identity(*O, O->Op.Site) == Id)
          Lanes |= 1u << L;
      for (uint32_t L = Lanes; L; L &= L - 1) {
        Thread &O = *laneOf(B, Warp, uint32_t(std::countr_zero(L)));
        O.Op.Result = Lanes;
        wake(O);
      }
      Any = true;
    }
  return Any;
}

/// A warp operation waits for lanes that wait elsewhere.
bool resolveWarp(Block &B) {
  for (uint32_t Warp = 0; Warp < B.Warps.size(); ++Warp) {
    WarpState &W = B.Warps[Warp];
    if (!W.Waiting)
      continue;
    Thread &T = *laneOf(B, Warp, uint32_t(std::countr_zero(W.Waiting)));
    uint32_t Here = 0;
    for (uint32_t L = W.Waiting; L; L &= L - 1)
      if (Thread &O = *laneOf(B, Warp, uint32_t(std::countr_zero(L))); sameOp(O, T))
        Here |= 1u << O.Lane;
    uint32_t Absent = T.Op.Mask & W.Alive & ~Here;
    if (launchOf(T).E.Checks.Sync && Absent) {
      Thread &Missing = *laneOf(B, Warp, uint32_t(std::countr_zero(Absent)));
      uint32_t OtherSite = Missing.State == Wait::Barrier ? Missing.BarrierSite : Missing.Op.Site;
      reportOf(T).add("warp_lane_absent", siteIndex(T.Op.Site), siteIndex(OtherSite), [&](protocol::Finding &F) {
        start(F, T);
        F.Threads.push_back({blockName(B), threadName(Missing)});
        F.Message = "the mask names lanes " + laneList(T.Op.Mask) + ", but lane" + (std::has_single_bit(Absent) ? " " : "s ") +
                    laneList(Absent) + " never come: they wait elsewhere";
        F.OtherMessage = "lane " + std::to_string(Missing.Lane) + " waits here";
      });
    }
    completeWarp(B, Warp, Here, nullptr);
    return true;
  }
  return false;
}

//===--- block barriers -----------------------------------------------------===//

void combine(NamedBarrier &N, uint32_t Value, uint32_t Mode) {
  if (Mode == 0)
    N.Value += Value ? 1 : 0;
  else if (Mode == 1)
    N.Value = (N.Arrived ? N.Value : 1) && Value;
  else
    N.Value = (N.Arrived ? N.Value : 0) || Value;
}

/// Everything before is ordered before everything after, for all threads of the block.
void advance(Block &B) {
  uint32_t Epoch = B.BarrierEpoch;
  for (uint32_t I = 0; I < B.Count; ++I)
    Epoch = std::max(Epoch, B.Threads[I].Epoch);
  for (WarpState &W : B.Warps)
    Epoch = std::max(Epoch, W.Epoch);
  ++Epoch;
  if (Epoch >= MaxEpoch - 64) {
    B.Uid = B.Owner->E.newUid(B.Uid);
    Epoch = 1;
    B.NoWarpOrder = false;
  }
  B.BarrierEpoch = Epoch;
  for (WarpState &W : B.Warps)
    W.Epoch = Epoch;
  Acquired Union;
  uint8_t Fenced = 0;
  for (uint32_t I = 0; I < B.Count; ++I) {
    Fenced = std::max(Fenced, B.Threads[I].FenceLevel);
    if (!B.Threads[I].Knows.empty())
      merge(Union, B.Threads[I].Knows);
  }
  for (uint32_t I = 0; I < B.Count; ++I) {
    Thread &T = B.Threads[I];
    T.Epoch = Epoch;
    T.WarpSync = Epoch;
    // One thread's fence, passed on by the barrier, covers what the block did before.
    if (Fenced) {
      T.FenceLevel = Fenced;
      T.FenceEpoch = Epoch - 1;
      T.FenceBarrier = Epoch;
    }
    if (!Union.empty())
      T.Knows = Union;
    B.setRecord(T);
  }
}

void completeBarrier(Block &B, NamedBarrier &N, Thread *Current) {
  B.Progress = true;
  N.Result = N.Value;
  if (N.All) {
    advance(B);
  } else {
    Acquired Union = N.Knows;
    for (uint32_t I : N.Waiting)
      merge(B.Threads[I].Knows, Union);
  }
  std::vector<uint32_t> Waiting;
  Waiting.swap(N.Waiting);
  N.Arrived = 0;
  N.Value = 0;
  N.Knows.clear();
  for (uint32_t I : Waiting) {
    Thread &T = B.Threads[I];
    T.BarrierValue = N.Result;
    if (&T == Current)
      T.State = Wait::Running;
    else
      wake(T);
  }
}

void reportExited(Block &B, NamedBarrier &N) {
  Thread &T = B.Threads[N.FirstThread];
  Thread *Gone = nullptr;
  uint32_t Exited = 0;
  for (uint32_t I = 0; I < B.Count; ++I)
    if (B.Threads[I].State == Wait::Done && !B.Threads[I].Dead) {
      ++Exited;
      if (!Gone)
        Gone = &B.Threads[I];
    }
  if (!Gone || !B.Owner->E.Checks.Sync)
    return;
  B.Owner->E.Out.add("barrier_divergence", siteIndex(N.FirstSite), ~0u, [&](protocol::Finding &F) {
    start(F, T);
    F.Threads.push_back({blockName(B), threadName(*Gone)});
    F.Message = std::to_string(Exited) + " of " + std::to_string(B.Count) + " threads of block " + blockName(B) +
                " have returned before this barrier (first: " + threadName(*Gone) + ")";
  });
}

void tryBarrier(Block &B, NamedBarrier &N, Thread *Current) {
  if (!N.Arrived)
    return;
  if (N.All) {
    if (N.Arrived < B.Alive)
      return;
    if (B.Alive < B.Count)
      reportExited(B, N);
  } else if (N.Arrived < N.Expected) {
    return;
  }
  completeBarrier(B, N, Current);
}

bool resolveBarrier(Block &B) {
  for (NamedBarrier &N : B.Barriers) {
    if (!N.Arrived)
      continue;
    Thread &T = B.Threads[N.FirstThread];
    Thread *Other = nullptr;
    for (uint32_t I = 0; I < B.Count && !Other; ++I)
      if (Thread &O = B.Threads[I]; O.State == Wait::Barrier && O.BarrierId != T.BarrierId)
        Other = &O;
    if (B.Owner->E.Checks.Sync)
      B.Owner->E.Out.add("barrier_divergence", siteIndex(N.FirstSite), Other ? siteIndex(Other->BarrierSite) : ~0u, [&](protocol::Finding &F) {
        start(F, T);
        F.Message = std::to_string(N.Arrived) + " threads wait at this barrier for " +
                    std::to_string(N.All ? B.Alive : N.Expected) + ", the others never come";
        if (Other) {
          F.Threads.push_back({blockName(B), threadName(*Other)});
          F.OtherMessage = "thread " + threadName(*Other) + " waits here, at barrier " + std::to_string(Other->BarrierId);
        }
      });
    completeBarrier(B, N, nullptr);
    return true;
  }
  return false;
}

} // namespace

void sim::arriveWarp(Thread &T) {
  Block &B = *T.Owner;
  WarpState &W = B.Warps[T.Warp];
  if (!(T.Op.Mask >> T.Lane & 1)) {
    if (launchOf(T).E.Checks.Sync)
      reportOf(T).add("warp_lane_absent", siteIndex(T.Op.Site), ~0u, [&](protocol::Finding &F) {
        start(F, T);
        F.Message = "lane " + std::to_string(T.Lane) + " calls a warp operation whose mask (lanes " + laneList(T.Op.Mask) + ") does not name it";
      });
    T.Op.Result = T.Op.Value;
    return;
  }
  W.Waiting |= 1u << T.Lane;
  T.State = Wait::Warp;
  tryWarp(B, T.Warp, &T);
  if (T.State == Wait::Warp)
    suspend(T);
}

void sim::arriveBarrier(Thread &T, uint32_t Id, uint32_t Count, uint32_t Site, uint32_t Value, uint32_t Mode, bool WaitHere) {
  Block &B = *T.Owner;
  Id &= 15;
  if (B.Barriers.size() <= Id)
    B.Barriers.resize(Id + 1);
  NamedBarrier &N = B.Barriers[Id];
  if (N.Arrived == 0) {
    N.FirstSite = Site;
    N.FirstThread = T.Linear;
    // Threads may arrive at a numbered barrier without waiting, and return.
    N.All = Count == 0 || (Count >= B.Count && Id == 0);
    N.Expected = Count;
  } else if (identity(T, N.FirstSite) != identity(T, Site) && N.All && Id == 0 && launchOf(T).E.Checks.Sync) {
    reportOf(T).add("barrier_divergence", siteIndex(Site), siteIndex(N.FirstSite), [&](protocol::Finding &F) {
      start(F, T);
      F.Threads.push_back({blockName(B), threadName(B.Threads[N.FirstThread])});
      F.Message = "thread " + threadName(T) + " waits at this barrier while thread " + threadName(B.Threads[N.FirstThread]) +
                  " of the same block waits at the one in line " + std::to_string(placeOf(T, N.FirstSite).Line);
      F.OtherMessage = "thread " + threadName(B.Threads[N.FirstThread]) + " waits here";
    });
  }
  combine(N, Value, Mode);
  ++N.Arrived;
  if (!N.All) {
    // Partial barriers order the participants only: each publishes to the barrier, the waiting ones acquire.
    Engine &E = launchOf(T).E;
    uint64_t Key = B.SharedSlotBase + Id + (uint64_t(B.Uid) << 44);
    E.Sync.release(Key, B.Uid, T.Linear, T.Epoch, B.BarrierEpoch, T.Knows);
    E.Sync.acquire(Key, N.Knows);
    WarpState &W = B.Warps[T.Warp];
    if (W.Epoch < MaxEpoch && T.Epoch < MaxEpoch) {
      T.Epoch = W.Epoch = std::max(W.Epoch, T.Epoch) + 1;
      B.setRecord(T);
    }
  }
  if (!WaitHere)
    return tryBarrier(B, N, nullptr);
  T.BarrierId = Id;
  T.BarrierSite = Site;
  T.State = Wait::Barrier;
  N.Waiting.push_back(T.Linear);
  tryBarrier(B, N, &T);
  if (T.State == Wait::Barrier)
    suspend(T);
}

uint32_t sim::barrierResult(Thread &T, uint32_t) { return T.BarrierValue; }

void sim::threadGone(Thread &T) {
  Block &B = *T.Owner;
  if (B.Warps[T.Warp].Waiting)
    tryWarp(B, T.Warp, nullptr);
  if (!B.Alive)
    return;
  for (NamedBarrier &N : B.Barriers)
    if (N.Arrived && N.All)
      tryBarrier(B, N, nullptr);
}

bool sim::resolveStuck(Block &B) {
  if (resolveActive(B))
    return true;
  if (!B.Queue.empty())
    return false;
  return resolveWarp(B) || resolveBarrier(B);
}
