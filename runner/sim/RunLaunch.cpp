// One launch of a job or of a whole program: its limits, its place among the other launches, its counters.
#include "runner/sim/Engine.h"
#include "runner/sim/Shadow.h"
#include "runner/sim/Transfers.h"
#include <algorithm>

using namespace kcheck;
using namespace kcheck::sim;

std::string sim::launchLimits(const protocol::LaunchStep &S, const Kernel &K, uint64_t MostShared) {
  uint64_t Threads = S.Block.count();
  if (Threads == 0 || S.Grid.count() == 0)
    return "the grid or the block is empty";
  if (Threads > 1024 || S.Block.X > 1024 || S.Block.Y > 1024 || S.Block.Z > 64)
    return "block (" + std::to_string(S.Block.X) + "," + std::to_string(S.Block.Y) + "," + std::to_string(S.Block.Z) + ") is larger than 1024 threads or 1024x1024x64";
  if (S.Grid.X > 0x7FFFFFFF || S.Grid.Y > 65535 || S.Grid.Z > 65535)
    return "the grid is larger than 2147483647x65535x65535";
  if (K.MaxThreads && Threads > K.MaxThreads)
    return std::to_string(Threads) + " threads a block, __launch_bounds__ says " + std::to_string(K.MaxThreads);
  if (K.StaticShared > 48 * 1024)
    return std::to_string(K.StaticShared) + " bytes of static shared memory, 49152 are allowed";
  if (S.DefaultShared && K.StaticShared + S.SharedBytes > 48 * 1024)
    return std::to_string(K.StaticShared + S.SharedBytes) + " bytes of shared memory; more than 49152 need cudaFuncSetAttribute";
  if (K.StaticShared + S.SharedBytes > MostShared)
    return std::to_string(K.StaticShared + S.SharedBytes) + " bytes of shared memory, " + std::to_string(MostShared) + " are the most there is";
  return "";
}

uint32_t sim::oldestBeside(const Engine &E, const LaunchRecord &L) {
  uint32_t Oldest = L.FirstUid;
  for (const LaunchRecord &O : E.Launches)
    if (!launchesOrdered(O, L))
      Oldest = std::min(Oldest, O.FirstUid);
  return Oldest;
}

LaunchEnd sim::runLaunch(Engine &E, const Kernel &K, EntryFunction Entry, const protocol::LaunchStep &S, std::vector<uint8_t> Params,
                         protocol::LaunchMetrics &Metrics) {
  auto T0 = std::chrono::steady_clock::now();
  Launch L(E, K, Entry, S);
  L.Params = std::move(Params);
  if (S.Cooperative && !E.GridWorkspace)
    E.GridWorkspace = E.Mem.allocate("grid workspace", 4096, 4, true);
  bool Alone = E.Order.alone(S.Stream);
  uint32_t Number = uint32_t(E.Launches.size()) + 1;
  L.Record = {E.NextUid, uint32_t(S.Grid.count()), S.Stream, Number, E.Order.launch(S.Stream, Number), K.Name, S.Grid, S.Block, std::nullopt};
  E.NextUid += L.Record.Count;
  enterTransfers(E, L.Record);
  L.Threshold = uint64_t(Alone ? L.Record.FirstUid : oldestBeside(E, L.Record)) << UidShift;
  L.Index = E.Launches.size();
  E.Launches.push_back(L.Record);
  E.CasGranules.clear();
  E.DecidingGranules.clear();
  E.Unfenced.clear();
  E.Sync.clear();
  L.run();
  finishRaces(L);
  Metrics = std::move(L.Metrics);
  Metrics.Kernel = K.Name;
  Metrics.Blocks = S.Grid.count();
  Metrics.ThreadsPerBlock = S.Block.count();
  Metrics.StaticShared = K.StaticShared;
  Metrics.DynamicShared = S.SharedBytes;
  Metrics.LocalBytes = K.LocalBytes;
  Metrics.Milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - T0).count();
  for (auto &[Line, M] : L.Lines)
    Metrics.Lines.push_back(M);
  return {L.Stopped.load(), L.Why, L.Message};
}
