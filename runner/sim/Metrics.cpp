// What the sampled blocks did: sectors, wavefronts, divergence, flops.
#include "runner/sim/Shadow.h"
#include <algorithm>
#include <set>

using namespace kcheck;
using namespace kcheck::sim;

namespace {

constexpr size_t MostEvents = 20000; ///< of one thread

/// One warp-wide access: the lanes' addresses at the same turn of the same instruction.
struct Request {
  std::vector<std::pair<uint64_t, uint32_t>> Lanes;
};

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

} // namespace

void Launch::countBlock(Block &B) {
  std::lock_guard<std::mutex> Guard(MetricsLock);
  ++Metrics.SampledBlocks;
  uint64_t Scale = std::max<uint64_t>(1, SampleStride);
  uint64_t GlobalBytes = 0, SharedBytes = 0, Flops = 0;
  std::map<unsigned, protocol::LineMetrics> Found;
  for (size_t Warp = 0; Warp < B.Warps.size(); ++Warp) {
    std::map<std::pair<uint32_t, uint32_t>, Request> Requests;
    std::map<uint32_t, std::pair<uint64_t, uint64_t>> Turns; // code block -> most turns of a lane, turns of all lanes
    std::map<uint32_t, std::vector<std::set<uint32_t>>> Ways;
    for (uint32_t I = uint32_t(Warp) * 32; I < std::min<uint32_t>(B.Count, uint32_t(Warp) * 32 + 32); ++I) {
      if (!B.Threads[I].Log)
        continue;
      const ThreadTrace &T = *B.Threads[I].Log;
      std::unordered_map<uint32_t, uint32_t> Turn;
      for (const TraceEvent &E : T.Events)
        Requests[{E.Site, Turn[E.Site]++}].Lanes.push_back({E.Address, E.Size});
      for (auto &[Code, N] : T.BlockCounts) {
        auto &[Most, All] = Turns[Code];
        Most = std::max(Most, N);
        All += N;
        Flops += N * E.Code.Blocks[Code].Flops;
      }
      for (auto &[Code, Where] : T.Outcomes) {
        auto &W = Ways[Code];
        W.resize(std::max(W.size(), Where.size()));
        for (size_t K = 0; K < Where.size(); ++K)
          W[K].insert(Where[K]);
      }
    }
    for (auto &[Key, R] : Requests) {
      const Site &S = E.Code.Sites[Key.first];
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
    Lines[Line].Line = Line;
    add(Lines[Line], M);
    add(Metrics.Total, M);
  }
  Metrics.GlobalBytes += GlobalBytes * Scale;
  Metrics.SharedBytes += SharedBytes * Scale;
  Metrics.Flops += Flops * Scale;
}

extern "C" {

void kcheck_trace(ThreadContext *C, void *P, uint32_t Site, uint32_t Size) {
  Thread &T = *static_cast<Thread *>(C);
  if (T.Lock.Address)
    watchAccess(T, uint64_t(P), Site, Size);
  if (T.Log && T.Log->Events.size() < MostEvents)
    T.Log->Events.push_back({siteIndex(Site), Size, uint64_t(P)});
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
