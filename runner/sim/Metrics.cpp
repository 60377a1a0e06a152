// What the sampled blocks did: sectors, wavefronts, divergence, flops.
#include "runner/sim/Shadow.h"
#include <algorithm>
#include <set>
#include <tuple>

using namespace kcheck;
using namespace kcheck::sim;

namespace {

constexpr size_t MostEvents = 8000;   ///< of one thread
constexpr uint32_t TheRest = ~0u;     ///< site of the event that counts those beyond

/// One warp-wide access: the lanes' addresses at the same turn of the same instruction.
struct Request {
  std::vector<std::pair<uint64_t, uint32_t>> Lanes;
  uint32_t Site = 0;
};

/// An access of one lane, with what tells requests apart.
struct LaneAccess {
  uint32_t Site, Turn, Bytes;
  uint64_t Address;
};

/// The accesses of a warp as requests.
std::vector<Request> requestsOf(std::vector<LaneAccess> &All) {
  std::stable_sort(All.begin(), All.end(), [](const LaneAccess &A, const LaneAccess &B) { return std::tie(A.Site, A.Turn) < std::tie(B.Site, B.Turn); });
  std::vector<Request> Out;
  for (size_t I = 0; I < All.size(); ++I) {
    if (!I || All[I].Site != All[I - 1].Site || All[I].Turn != All[I - 1].Turn)
      Out.push_back({{}, All[I].Site});
    Out.back().Lanes.push_back({All[I].Address, All[I].Bytes});
  }
  return Out;
}

void countGlobal(const Request &R, protocol::LineMetrics &M, uint64_t &Bytes) {
  std::set<uint64_t> Sectors, Granules;
  uint64_t Distinct = 0;
  for (auto [A, N] : R.Lanes) {
    Bytes += N;
    for (uint64_t S = A / 32; S <= (A + N - 1) / 32; ++S)
      Sectors.insert(S);
    for (uint64_t G = A; G < A + N; G += std::min<uint64_t>(N, 4))
      Distinct += Granules.insert(G).second ? std::min<uint64_t>(N, 4) : 0;
  }
  ++M.GlobalRequests;
  M.GlobalSectors += Sectors.size();
  M.IdealSectors += std::max<uint64_t>(1, (Distinct + 31) / 32);
}

/// 32 banks of 4 bytes; lanes that want the same word share it; wide accesses go in parts of the warp.
void countShared(const Request &R, protocol::LineMetrics &M, uint64_t &Bytes) {
  uint32_t Wide = 4;
  for (auto [A, N] : R.Lanes) {
    Bytes += N;
    Wide = std::max(Wide, N);
  }
  size_t Parts = std::max<size_t>(1, Wide / 4), PerPart = (R.Lanes.size() + Parts - 1) / Parts;
  uint64_t Waves = 0;
  for (size_t From = 0; From < R.Lanes.size(); From += PerPart) {
    std::map<uint64_t, std::set<uint64_t>> Banks;
    for (size_t I = From; I < std::min(From + PerPart, R.Lanes.size()); ++I)
      for (uint64_t W = R.Lanes[I].first / 4; W <= (R.Lanes[I].first + R.Lanes[I].second - 1) / 4; ++W)
        Banks[W % 32].insert(W);
    size_t Most = 1;
    for (auto &[B, Words] : Banks)
      Most = std::max(Most, Words.size());
    Waves += Most;
  }
  ++M.SharedRequests;
  // Counted against what the width alone needs, so that 1 is the ideal of any access.
  size_t Needed = std::max<size_t>(1, std::min(Parts, R.Lanes.size()));
  M.SharedWavefronts += std::max<uint64_t>(1, (Waves + Needed - 1) / Needed);
}

void add(protocol::LineMetrics &To, const protocol::LineMetrics &M) {
  To.GlobalRequests += M.GlobalRequests;
  To.GlobalSectors += M.GlobalSectors;
  To.IdealSectors += M.IdealSectors;
  To.SharedRequests += M.SharedRequests;
  To.SharedWavefronts += M.SharedWavefronts;
  To.Branches += M.Branches;
  To.DivergentBranches += M.DivergentBranches;
}

/// What was kept stands for what was dropped.
uint64_t extended(uint64_t Count, uint64_t Kept, uint64_t Dropped) { return Dropped ? uint64_t(double(Count) * (1 + double(Dropped) / double(Kept))) : Count; }

void scale(protocol::LineMetrics &M, uint64_t Kept, uint64_t Dropped) {
  for (uint64_t *N : {&M.GlobalRequests, &M.GlobalSectors, &M.IdealSectors, &M.SharedRequests, &M.SharedWavefronts})
    *N = extended(*N, Kept, Dropped);
}

} // namespace

void Launch::countBlock(Block &B) {
  std::lock_guard<std::mutex> Guard(MetricsLock);
  ++Metrics.SampledBlocks;
  uint64_t Scale = std::max<uint64_t>(1, SampleStride);
  uint64_t GlobalBytes = 0, SharedBytes = 0, Flops = 0, Kept = 0, Dropped = 0;
  std::map<unsigned, protocol::LineMetrics> Found;
  std::vector<uint32_t> Turn(E.Code.Sites.size());
  for (size_t Warp = 0; Warp < B.Warps.size(); ++Warp) {
    std::vector<LaneAccess> All;
    std::map<uint32_t, std::pair<uint64_t, uint64_t>> Turns; // code block -> most turns of a lane, turns of all lanes
    std::map<uint32_t, std::vector<std::set<uint32_t>>> Ways;
    for (uint32_t I = uint32_t(Warp) * 32; I < std::min<uint32_t>(B.Count, uint32_t(Warp) * 32 + 32); ++I) {
      if (!B.Threads[I].Log)
        continue;
      const ThreadTrace &T = *B.Threads[I].Log;
      std::fill(Turn.begin(), Turn.end(), 0);
      for (const TraceEvent &Event : T.Events) {
        if (Event.Site == TheRest) {
          Dropped += Event.Address;
          break;
        }
        ++Kept;
        All.push_back({Event.Site, Turn[Event.Site]++, Event.Size, Event.Address});
      }
      for (auto &[Code, N] : T.BlockCounts) {
        auto &[Most, Sum] = Turns[Code];
        Most = std::max(Most, N);
        Sum += N;
        Flops += N * E.Code.Blocks[Code].Flops;
      }
      for (auto &[Code, Where] : T.Outcomes) {
        auto &W = Ways[Code];
        W.resize(std::max(W.size(), Where.size()));
        for (size_t K = 0; K < Where.size(); ++K)
          W[K].insert(Where[K]);
      }
    }
    for (const Request &R : requestsOf(All)) {
      const Site &S = E.Code.Sites[R.Site];
      uint64_t Off = R.Lanes[0].first - DataBase;
      if (isSharedOffset(Off))
        countShared(R, Found[S.At.Line], SharedBytes);
      else if (isGlobalOffset(Off))
        countGlobal(R, Found[S.At.Line], GlobalBytes);
    }
    for (auto &[Code, T] : Turns) {
      Metrics.Instructions += T.first * E.Code.Blocks[Code].Instructions;
      Metrics.ActiveLanes += T.second * E.Code.Blocks[Code].Instructions;
    }
    for (auto &[Code, W] : Ways) {
      protocol::LineMetrics &M = Found[E.Code.Blocks[Code].Line];
      M.Branches += W.size();
      for (auto &Set : W)
        M.DivergentBranches += Set.size() > 1;
    }
  }
  for (auto &[Line, M] : Found) {
    scale(M, Kept, Dropped);
    Lines[Line].Line = Line;
    add(Lines[Line], M);
    add(Metrics.Total, M);
  }
  Metrics.GlobalBytes += extended(GlobalBytes, Kept, Dropped) * Scale;
  Metrics.SharedBytes += extended(SharedBytes, Kept, Dropped) * Scale;
  Metrics.Flops += Flops * Scale;
}

extern "C" {

void kcheck_trace(ThreadContext *C, void *P, uint32_t Site, uint32_t Size) {
  Thread &T = *static_cast<Thread *>(C);
  if (T.Lock.Address)
    watchAccess(T, uint64_t(P), Site, Size);
  if (!T.Log)
    return;
  if (T.Log->Events.size() < MostEvents)
    T.Log->Events.push_back({siteIndex(Site), Size, uint64_t(P)});
  else if (T.Log->Events.size() == MostEvents)
    T.Log->Events.push_back({TheRest, 0, 1});
  else
    ++T.Log->Events.back().Address;
}

void kcheck_trace_block(ThreadContext *C, uint32_t Code, uint32_t) {
  Thread &T = *static_cast<Thread *>(C);
  if (!T.Log)
    return;
  ThreadTrace &L = *T.Log;
  if (L.LastCode != ~0u && T.Owner->Owner->E.Code.Blocks[L.LastCode].Branches) {
    auto &W = L.Outcomes[L.LastCode];
    if (W.size() < 1024)
      W.push_back(Code);
  }
  L.LastCode = Code;
  ++L.BlockCounts[Code];
}

} // extern "C"
